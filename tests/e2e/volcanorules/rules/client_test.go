// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

func TestOnlyStatus200IsAnAnswer(t *testing.T) {
	s, scheduler := newScript(t)
	for _, status := range []int{201, 202, 203, 301, 400, 404, 500, 503} {
		s.says("predicate", status, `{"status":"","code":0}`)
		answer := &rules.PredicateAnswer{}
		if err := scheduler.Extender.Send("predicate", struct{}{}, answer); err == nil {
			t.Errorf("%d is taken for an answer", status)
		}
	}
	s.says("predicate", 204, "")
	if err := scheduler.Extender.Send("predicate", struct{}{}, nil); err == nil {
		t.Error("204 is taken for an answer")
	}
}

func TestDecodingIsThatOfGo(t *testing.T) {
	s, scheduler := newScript(t)
	for text, want := range map[string]bool{
		`{"status":"","code":0}`:                      true,
		`{"code":2,"status":"m","errorMessage":"m"}`:  true,
		`{"STATUS":"m","Code":3}`:                     true,
		`{"status":null,"code":null}`:                 true,
		`{}`:                                          true,
		`{"status":"m"} and what follows is not read`: true,
		``:                                     false,
		`{"status":"m","code":2.0}`:            false,
		`{"status":"m","code":2e0}`:            false,
		`{"status":"m","code":"2"}`:            false,
		`{"status":2,"code":2}`:                false,
		`{"status":[{"Code":2,"Reason":"m"}]}`: false,
		`{"status":"m",`:                       false,
		`null`:                                 true,
		`[]`:                                   false,
		`{"status":"` + strings.Repeat("m", 10) + `"}`: true,
	} {
		s.says("predicate", 200, text)
		err := scheduler.Extender.Send("predicate", struct{}{}, &rules.PredicateAnswer{})
		if (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAnswersAreCapped(t *testing.T) {
	s, scheduler := newScript(t)
	for size, want := range map[int]bool{10<<20 - 20: true, 10<<20 + 1: false} {
		s.says("predicate", 200, `{"status":"`+strings.Repeat("m", size)+`"}`)
		err := scheduler.Extender.Send("predicate", struct{}{}, &rules.PredicateAnswer{})
		if (err == nil) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}

func TestAnswersOfSessionsAreNotRead(t *testing.T) {
	s, scheduler := newScript(t)
	s.says("sessionclose", 200, "no JSON at all")
	cluster, _ := four(1)
	if err := scheduler.Open(cluster).Close(); err != nil {
		t.Fatal(err)
	}
}

func TestACallHasATimeout(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done() // the client has gone
	}))
	defer server.Close()
	client := rules.NewClient(server.URL, 20*time.Millisecond, 2)
	err := client.Send("predicate", struct{}{}, &rules.PredicateAnswer{})
	if err == nil || !strings.Contains(err.Error(), "Client.Timeout") {
		t.Fatalf("no timeout: %v", err)
	}
	if rules.NewClient("", 0, 2).HTTP.Timeout != time.Second {
		t.Error("the default is not 1 s")
	}
}

func TestThePrefixMayEndInASlash(t *testing.T) {
	s, scheduler := newScript(t)
	scheduler.Extender.URL += "//"
	if err := scheduler.Extender.Send("predicate", struct{}{}, nil); err != nil {
		t.Fatal(err)
	}
	if len(s.of("predicate")) != 1 {
		t.Error("the path is not /predicate")
	}
}

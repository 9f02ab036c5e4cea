// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// What the program documents that it answers; the fields in their order, so that encoding one
// again gives the same bytes.
type (
	verdict struct {
		ErrorMessage *string `json:"errorMessage"`
		Status       *string `json:"status"`
		Code         *int    `json:"code"`
	}
	verdicts struct {
		Status *[]rules.ArrayStatus `json:"status"`
	}
	scores struct {
		NodeScore    map[string]float64 `json:"nodeScore"`
		ErrorMessage *string            `json:"errorMessage"`
	}
	told struct {
		ErrorMessage *string `json:"errorMessage"`
	}
	vote struct {
		Status *int `json:"status"`
	}
	ready struct {
		Status *bool `json:"status"`
	}
	overused struct {
		Overused *bool `json:"overused"`
	}
	victims struct {
		Status  *int               `json:"status"`
		Victims *[]json.RawMessage `json:"victims"`
	}
	nothing struct{}
)

// documented makes the type of a verb's answer; nil where the answer is empty.
func documented(verb string) any {
	switch verb {
	case "predicate":
		return &verdict{}
	case "prioritize":
		return &scores{}
	case "allocate", "deallocate":
		return &told{}
	case "jobenqueueable":
		return &vote{}
	case "jobready":
		return &ready{}
	case "queueoverused":
		return &overused{}
	case "preemptable", "reclaimable":
		return &victims{}
	case "jobenqueued":
		return &nothing{}
	}
	return nil
}

// post sends bytes as they are, and reads all of the answer.
func post(t *testing.T, url string, body []byte) []byte {
	t.Helper()
	response, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", url, response.StatusCode, text)
	}
	if response.ContentLength != int64(len(text)) {
		t.Fatalf("%s: Content-Length %d, %d bytes", url, response.ContentLength, len(text))
	}
	return text
}

// exact decodes an answer into a documented type: no other field, none missing, nothing behind it;
// and encoding it again gives the same bytes, but for numbers that can be written in many ways.
func exact(t *testing.T, text []byte, into any) {
	t.Helper()
	if into == nil {
		if len(text) != 0 {
			t.Fatalf("an answer that nobody reads: %s", text)
		}
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if _, err := decoder.Token(); err != io.EOF {
		t.Fatalf("something follows: %s", text)
	}
	if answer, isScores := into.(*scores); isScores {
		if answer.NodeScore == nil || answer.ErrorMessage == nil || *answer.ErrorMessage != "" {
			t.Fatalf("Volcano places nothing after this: %.200s", text)
		}
		return
	}
	if again := encode(t, into); !bytes.Equal(again, bytes.TrimSpace(text)) {
		t.Fatalf("not byte for byte: %s, want %s", text, again)
	}
}

// encode leaves < > & as they are, as the program does.
func encode(t *testing.T, value any) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text.Bytes())
}

// sane looks at what a verdict says: a code that Volcano knows, and a text that is the same for
// every node and every number, since Volcano groups equal texts.
func sane(code int, text, node string) error {
	switch {
	case code == 0 && text == "":
		return nil
	case code != rules.Unschedulable && code != rules.UnschedulableAndUnresolvable:
		return fmt.Errorf("code %d with %q", code, text)
	case !strings.HasPrefix(text, "fabricbind: "):
		return fmt.Errorf("%q does not say whose it is", text)
	case strings.Contains(text, node) || strings.ContainsAny(strings.TrimPrefix(text, "fabricbind: "), "0123456789"):
		return fmt.Errorf("%q has a node or a number in it", text)
	}
	return nil
}

// saneScores wants one for every node asked about, between 0 and the default weight.
func saneScores(answer map[string]float64, nodes []string) error {
	for _, node := range nodes {
		score, found := answer[node]
		if !found || math.IsNaN(score) || score < 0 || score > 1000 {
			return fmt.Errorf("node %s has score %v", node, score)
		}
	}
	if len(answer) != len(nodes) {
		return fmt.Errorf("%d scores for %d nodes", len(answer), len(nodes))
	}
	return nil
}

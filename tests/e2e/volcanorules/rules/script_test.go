// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"encoding/json"
	"io"
	"math/rand"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// call is one request, as far as tests look at it.
type call struct {
	verb string
	task struct {
		Name, NodeName string
		Status         rules.TaskStatus
		Pod            struct{ Spec struct{ NodeName string } }
	}
	node  string
	nodes int
}

// script is an extender that answers by a table and keeps what it was asked.
type script struct {
	lock    sync.Mutex
	calls   []call
	answers map[string]func(call) (int, string)
}

// neutral is what changes nothing.
var neutral = map[string]string{
	"predicate":  `{"status":"","code":0}`,
	"prioritize": `{"nodeScore":{},"errorMessage":""}`,
	"allocate":   `{"errorMessage":""}`,
	"deallocate": `{"errorMessage":""}`,
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	one := call{verb: strings.TrimPrefix(r.URL.Path, "/")}
	var asked struct {
		Task  json.RawMessage
		Node  struct{ Name string }
		Nodes []struct{ Name string }
	}
	_ = json.Unmarshal(body, &asked)
	_ = json.Unmarshal(asked.Task, &one.task)
	one.node, one.nodes = asked.Node.Name, len(asked.Nodes)

	s.lock.Lock()
	s.calls = append(s.calls, one)
	answer := s.answers[one.verb]
	s.lock.Unlock()
	status, text := http.StatusOK, neutral[one.verb]
	if answer != nil {
		status, text = answer(one)
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text)
}

func (s *script) of(verbs ...string) []call {
	s.lock.Lock()
	defer s.lock.Unlock()
	var calls []call
	for _, one := range s.calls {
		for _, verb := range verbs {
			if one.verb == verb {
				calls = append(calls, one)
			}
		}
	}
	return calls
}

// says answers a verb with one text, whatever is asked.
func (s *script) says(verb string, status int, text string) {
	s.answers[verb] = func(call) (int, string) { return status, text }
}

var hotVerbs = rules.Verbs{
	Predicate: "predicate", Prioritize: "prioritize", Allocate: "allocate", Deallocate: "deallocate",
	SessionClose: "sessionclose",
}

// newScript starts the extender and a scheduler that asks it.
func newScript(t *testing.T) (*script, *rules.Scheduler) {
	t.Helper()
	s := &script{answers: map[string]func(call) (int, string){}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	client := rules.NewClient(server.URL, 10*time.Second, 2)
	t.Cleanup(client.HTTP.CloseIdleConnections)
	return s, &rules.Scheduler{
		Extender: &rules.Extender{Client: client, Verbs: hotVerbs},
		Random:   rand.New(rand.NewSource(1)),
	}
}

// four is a cluster of four nodes and one gang.
func four(pods int) (*rules.Cluster, *rules.Job) {
	cluster := &rules.Cluster{}
	fleet.Add(cluster, fleet.Pool{Name: "p5", Shape: fleet.P5, Zone: "a", Nodes: 4, BlockSize: 16})
	return cluster, fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: pods})
}

// first is some task and some node of a session.
func first(ssn *rules.Session) (*rules.TaskInfo, *rules.NodeInfo) {
	for _, job := range ssn.JobList {
		for _, task := range job.Tasks {
			return task, ssn.NodeList[0]
		}
	}
	return nil, nil
}

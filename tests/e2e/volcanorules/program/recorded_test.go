// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// recordedBodies lists bodies that Volcano sent, by folder. FB_RECORDED is where they are.
func recordedBodies(t *testing.T) map[string][]string {
	t.Helper()
	root := os.Getenv("FB_RECORDED")
	if root == "" {
		root = "../../../data/recorded"
	}
	folders := map[string][]string{}
	for _, folder := range []string{"aws", "azure", "gcp", "oci", "volcano-1.9", "volcano-1.12"} {
		files, err := filepath.Glob(filepath.Join(root, folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no recorded bodies in %s/%s; FB_RECORDED says where they are", root, folder)
		}
		folders[folder] = files
	}
	return folders
}

// verbOf is the route of a recorded file; "" for what is no request of Volcano.
func verbOf(file string) string {
	_, name, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "-")
	switch name {
	case "allocateFunc":
		return "allocate"
	case "deallocateFunc":
		return "deallocate"
	case "onSessionOpen":
		return "sessionopen"
	case "onSessionClose":
		return "sessionclose"
	}
	if strings.HasPrefix(name, "admission") {
		return ""
	}
	return strings.ToLower(name)
}

// Every recorded body gets an answer that decodes into what is documented, in both dialects.
func TestRecordedBodies(t *testing.T) {
	for folder, files := range recordedBodies(t) {
		t.Run(folder, func(t *testing.T) {
			provider, _, _ := strings.Cut(folder, "-")
			if provider == "volcano" {
				provider = "aws"
			}
			p := serve(t, "provider: "+provider+"\n", nil)
			answered := map[string]int{}
			for _, file := range files {
				verb := verbOf(file)
				if verb == "" {
					continue
				}
				body, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				answered[verb]++
				t.Run(filepath.Base(file), func(t *testing.T) {
					answersExactly(t, p, verb, body)
				})
			}
			if answered["predicate"] == 0 || answered["prioritize"] == 0 {
				t.Errorf("answered were %v", answered)
			}
			t.Logf("answered: %v", answered)
		})
	}
}

func answersExactly(t *testing.T, p *program, verb string, body []byte) {
	var asked struct {
		Node  struct{ Name string }
		Nodes []struct{ Name string }
	}
	if verb == "predicate" || verb == "prioritize" {
		if err := json.Unmarshal(body, &asked); err != nil {
			t.Fatal(err)
		}
	}
	answer := documented(verb)
	exact(t, post(t, p.URL+"/"+verb, body), answer)
	switch said := answer.(type) {
	case *verdict:
		if *said.ErrorMessage != *said.Status {
			t.Errorf("errorMessage %q, status %q", *said.ErrorMessage, *said.Status)
		}
		if err := sane(*said.Code, *said.Status, asked.Node.Name); err != nil {
			t.Error(err)
		}
		inTheArrayDialect(t, p, body, *said.Code, *said.Status)
	case *scores:
		var names []string
		for _, node := range asked.Nodes {
			names = append(names, node.Name)
		}
		if err := saneScores(said.NodeScore, names); err != nil {
			t.Error(err)
		}
	}
}

// inTheArrayDialect asks the same as Volcano 1.8 and 1.9 read it, and wants the same verdict.
func inTheArrayDialect(t *testing.T, p *program, body []byte, code int, reason string) {
	t.Helper()
	answer := &verdicts{}
	url := strings.Replace(p.URL, "/volcano", "/volcano-1.9", 1) + "/predicate"
	exact(t, post(t, url, body), answer)
	got := *answer.Status
	if code == rules.Success {
		got = slices.DeleteFunc(got, func(one rules.ArrayStatus) bool { return one == rules.ArrayStatus{} })
		if len(got) != 0 {
			t.Errorf("array: %+v", got)
		}
	} else if len(got) != 1 || got[0].Code != code || got[0].Reason != reason {
		t.Errorf("array: %+v, want %d %q", got, code, reason)
	}
}

// The stand-in's own bodies have the keys of Volcano's, in its order.
func TestTheStandInSendsWhatVolcanoSends(t *testing.T) {
	cluster := pools(p5(zoneA, 1))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 2, NICs: 32})
	ssn := (&program{t: t}).scheduler().Open(cluster)
	for verb, ask := range map[string]any{
		"predicate":  &rules.PredicateRequest{Task: taskOf(ssn, gang, "worker"), Node: ssn.NodeList[0]},
		"prioritize": &rules.PrioritizeRequest{Task: taskOf(ssn, gang, "worker"), Nodes: ssn.NodeList},
		"allocate":   &rules.EventRequest{Task: taskOf(ssn, gang, "worker")},
		"jobready":   &rules.JobRequest{Job: ssn.Jobs[gang.ID()]},
	} {
		for _, file := range recordedBodies(t)["aws"] {
			if verbOf(file) != verb {
				continue
			}
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			sent, err := json.Marshal(ask)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := keys(t, sent, 2), keys(t, recorded, 2); !slices.Equal(got, want) {
				t.Errorf("%s sends\n%v\nwant\n%v", verb, got, want)
			}
			break
		}
	}
}

// keys lists the keys of an object down to a depth, in order; of a list, those of its first entry.
func keys(t *testing.T, text json.RawMessage, depth int) []string {
	t.Helper()
	text = bytes.TrimSpace(text)
	var list []json.RawMessage
	if json.Unmarshal(text, &list) == nil && len(list) > 0 {
		return keys(t, list[0], depth)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') || depth == 0 {
		return nil
	}
	var found []string
	for decoder.More() {
		key, err := decoder.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		found = append(found, key.(string))
		switch key {
		case "task", "node", "nodes", "job":
			for _, inner := range keys(t, value, depth-1) {
				found = append(found, key.(string)+"."+inner)
			}
		}
	}
	return found
}

// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"strings"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// spoiled are ways in which a body can go wrong.
var spoiled = map[string]func(body []byte) []byte{
	"empty":      func([]byte) []byte { return nil },
	"cut":        func(body []byte) []byte { return body[:len(body)/2] },
	"lastByte":   func(body []byte) []byte { return body[:len(body)-1] },
	"noise":      func([]byte) []byte { return bytes.Repeat([]byte{0xff, 0, '{', '"'}, 1000) },
	"wrongTypes": func(body []byte) []byte { return bytes.Replace(body, []byte(`"UID":"`), []byte(`"UID":7,"x":"`), -1) },
	"deep":       func([]byte) []byte { return []byte(strings.Repeat(`{"task":`, 10000)) },
	"list":       func([]byte) []byte { return []byte(`[]`) },
}

// spoil makes a scheduler whose bodies of some verbs go wrong on the way.
func spoil(p *program, how func([]byte) []byte, verbs ...string) *rules.Scheduler {
	scheduler := p.scheduler()
	scheduler.Extender.Spoil = func(verb string, body []byte) []byte {
		for _, one := range verbs {
			if one == verb {
				return how(body)
			}
		}
		return body
	}
	return scheduler
}

func eachSpoiled(t *testing.T, test func(t *testing.T, how func([]byte) []byte)) {
	for name, how := range spoiled {
		t.Run(name, func(t *testing.T) { test(t, how) })
	}
}

func train(pods int) (*rules.Cluster, *rules.Job) {
	cluster := pools(p5(zoneA, 20), p5(zoneB, 20))
	return cluster, fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: pods, NICs: 32})
}

// Every pod gets a node in the first session, and the gang is on one fabric all the same.
func TestAFaultInPrioritizeLeavesNoPodWithoutANode(t *testing.T) {
	eachSpoiled(t, func(t *testing.T, how func([]byte) []byte) {
		cluster, gang := train(12)
		p := serve(t, aws, cluster)
		place(t, spoil(p, how, "prioritize"), cluster, gang, 1)
		oneFabric(t, cluster, gang)
		want := `{"nodeScore":{},"errorMessage":""}`
		if text := post(t, p.URL+"/prioritize", how([]byte(`{"task":{"UID":"u"},"nodes":[]}`))); string(text) != want {
			t.Errorf("answered %s", text)
		}
	})
}

func TestAFaultInPredicatePassesByDefault(t *testing.T) {
	eachSpoiled(t, func(t *testing.T, how func([]byte) []byte) {
		cluster, gang := train(12)
		p := serve(t, aws, cluster)
		place(t, spoil(p, how, "predicate"), cluster, gang, 1)
		if text := post(t, p.URL+"/predicate", how([]byte(`{"task":{"UID":"u"},"node":{}}`))); string(text) != `{"errorMessage":"","status":"","code":0}` {
			t.Errorf("answered %s", text)
		}
	})
}

func TestAFaultInPredicateRefusesWhereThatIsAskedFor(t *testing.T) {
	eachSpoiled(t, func(t *testing.T, how func([]byte) []byte) {
		cluster, gang := train(12)
		p := serve(t, aws+"onFault: reject\n", cluster)
		scheduler := spoil(p, how, "predicate")
		ssn := scheduler.Open(cluster)
		for _, node := range ssn.NodeList {
			err := scheduler.Extender.Predicate(taskOf(ssn, gang, "worker"), node)
			if err == nil || err.Code != rules.Unschedulable || err.Reason != "fabricbind: request not readable" {
				t.Fatalf("answered %+v", err)
			}
		}
		ssn.Allocate()
		if err := ssn.Close(); err != nil {
			t.Fatal(err)
		}
		if len(cluster.Placed(gang)) != 0 {
			t.Error("placed")
		}
		// What can be read is decided as ever.
		place(t, p.scheduler(), cluster, gang, 2)
		oneFabric(t, cluster, gang)
	})
}

// An event that cannot be read must not roll the placement back.
func TestAFaultInAnEventStopsNothing(t *testing.T) {
	eachSpoiled(t, func(t *testing.T, how func([]byte) []byte) {
		cluster, gang := train(12)
		p := serve(t, aws, cluster)
		place(t, spoil(p, how, "allocate", "deallocate"), cluster, gang, 1)
		oneFabric(t, cluster, gang) // the plan alone keeps it there
	})
}

func TestFaultsInTheArrayDialect(t *testing.T) {
	for settings, want := range map[string]string{
		"":                  "",
		"onFault: reject\n": "fabricbind: request not readable",
	} {
		p := serve(t, aws+settings, nil)
		answer := &verdicts{}
		exact(t, post(t, strings.Replace(p.URL, "/volcano", "/volcano-1.9", 1)+"/predicate", []byte(`{`)), answer)
		got := ""
		for _, one := range *answer.Status {
			got += one.Reason
		}
		if got != want {
			t.Errorf("%q: %+v", settings, *answer.Status)
		}
	}
}

// Observe decides and counts, but every node passes and no score tells nodes apart.
func TestObserveChangesNothing(t *testing.T) {
	cluster, gang := crowded(actions[0], p5(zoneA, 4), p5(zoneB, 4), nil, true, 32)
	scheduler := serve(t, aws+"mode: observe\n", cluster).scheduler()
	ssn := scheduler.Open(cluster)
	task := taskOf(ssn, gang, "worker")
	if refused := verdictsOn(scheduler, ssn, task); len(refused) != 0 {
		t.Errorf("refused: %v", refused)
	}
	given, err := scheduler.Extender.Prioritize(task, ssn.NodeList)
	if err != nil {
		t.Fatal(err)
	}
	for node, score := range given {
		if score != given[ssn.NodeList[0].Name] {
			t.Errorf("%s has %v, others %v", node, score, given[ssn.NodeList[0].Name])
		}
	}
}

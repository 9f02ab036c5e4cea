// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// Which answers keep a node in allocate, and as a candidate for evictions.
func TestCodes(t *testing.T) {
	for _, one := range []struct {
		answer          string
		ignorable       bool
		allocate, evict bool
		wantCode        int
	}{
		{answer: `{"status":"","code":0}`, allocate: true, evict: true},
		{answer: `{"status":"","code":3}`, allocate: true, evict: true},
		{answer: `{"status":"m"}`, wantCode: 1},
		{answer: `{"status":"m","code":0}`, wantCode: 1},
		{answer: `{"status":"m","code":1}`, wantCode: 1},
		{answer: `{"status":"m","code":2}`, wantCode: 2, evict: true},
		{answer: `{"status":"m","code":3}`, wantCode: 3},
		{answer: `{"status":"m","code":4}`, wantCode: 4},
		{answer: `{"status":"m","code":5}`, wantCode: 5},
		{answer: `{"status":"m","code":6}`, wantCode: 6, allocate: true, evict: true},
		{answer: `{"status":"m","code":-1}`, wantCode: -1, allocate: true, evict: true},
		{answer: `nonsense`, wantCode: 1},
		{answer: `nonsense`, ignorable: true, allocate: true, evict: true},
	} {
		s, scheduler := newScript(t)
		scheduler.Extender.Ignorable = one.ignorable
		s.says("predicate", 200, one.answer)
		cluster, job := four(1)
		ssn := scheduler.Open(cluster)
		task, node := first(ssn)
		if err := scheduler.Extender.Predicate(task, node); err != nil && err.Code != one.wantCode {
			t.Errorf("%s: code %d", one.answer, err.Code)
		}
		ssn.Allocate()
		if got := len(cluster.Placed(job)) == 1; got != one.allocate {
			t.Errorf("%s: placed %v", one.answer, got)
		}

		full, high := crowded("b")
		ssn = scheduler.Open(full)
		ssn.Preempt()
		if got := len(ssn.Evicted) == 1; got != one.evict {
			t.Errorf("%s: evicted %v for %s", one.answer, got, high.Name)
		}
	}
}

func TestDialectsOfPredicate(t *testing.T) {
	for _, one := range []struct {
		dialect rules.Dialect
		answer  string
		want    string
	}{
		{rules.Array, `{"status":[{"Code":3,"Reason":"m"}]}`, "3 m"},
		{rules.Array, `{"status":[{"Code":0,"Reason":""}]}`, ""},
		{rules.Array, `{"status":[]}`, ""},
		{rules.Array, `{"status":null}`, ""},
		{rules.Array, `{"status":"m","code":3}`, "1"},
		{rules.Text, `{"errorMessage":"m","status":"m","code":3}`, "1 m"},
		{rules.Text, `{"errorMessage":""}`, ""},
		{rules.Code, `{"errorMessage":"m","status":"m","code":3}`, "3 m"},
	} {
		s, scheduler := newScript(t)
		scheduler.Extender.Dialect = one.dialect
		s.says("predicate", 200, one.answer)
		cluster, _ := four(1)
		task, node := first(scheduler.Open(cluster))
		got := ""
		if err := scheduler.Extender.Predicate(task, node); err != nil {
			got = fmt.Sprintf("%d %s", err.Code, err.Reason)
		}
		if len(got) < len(one.want) || got[:len(one.want)] != one.want || (one.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", one.answer, got, one.want)
		}
	}
}

func TestPrioritize(t *testing.T) {
	for _, one := range []struct {
		answer           string
		ignorable, fails bool
	}{
		{`{"nodeScore":{"p5-0000":1.5},"errorMessage":""}`, false, false},
		{`{"nodeScore":{},"errorMessage":""}`, false, false},
		{`{"nodeScore":null,"errorMessage":""}`, true, true},
		{`{"errorMessage":""}`, true, true},
		{`{}`, true, true},
		{`{"nodeScore":{"p5-0000":1},"errorMessage":"m"}`, true, true},
		{`{"nodeScore":{"p5-0000":"1"}}`, true, false},
		{`{"nodeScore":{"p5-0000":"1"}}`, false, true},
	} {
		s, scheduler := newScript(t)
		scheduler.Extender.Ignorable = one.ignorable
		s.says("prioritize", 200, one.answer)
		cluster, job := four(1)
		scheduler.Open(cluster).Allocate()
		// Fact: an error of prioritize leaves an empty map behind, and no node is chosen.
		if got := len(cluster.Placed(job)) == 0; got != one.fails {
			t.Errorf("%s, ignorable %v: no node %v", one.answer, one.ignorable, got)
		}
	}
}

func TestAnObjectionToAnEventCountsEvenWhenIgnorable(t *testing.T) {
	for _, one := range []struct {
		answer            string
		ignorable, placed bool
	}{
		{`{"errorMessage":""}`, false, true},
		{`{"errorMessage":"m"}`, true, false},
		{`{"errorMessage":"m"}`, false, false},
		{`nonsense`, true, true},
		{`nonsense`, false, false},
	} {
		s, scheduler := newScript(t)
		scheduler.Extender.Ignorable = one.ignorable
		s.says("allocate", 200, one.answer)
		cluster, job := four(1)
		scheduler.Open(cluster).Allocate()
		if got := len(cluster.Placed(job)) == 1; got != one.placed {
			t.Errorf("%s, ignorable %v: placed %v", one.answer, one.ignorable, got)
		}
		// Who objected hears of the end, too.
		if got := len(s.of("deallocate")) == 1; got == one.placed {
			t.Errorf("%s, ignorable %v: told of the end %v", one.answer, one.ignorable, got)
		}
	}
}

func TestAMissingStatusIsNotReady(t *testing.T) {
	s, scheduler := newScript(t)
	scheduler.Extender.Verbs.JobReady = "jobready"
	cluster, job := four(1)
	s.says("jobready", 200, `{}`)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 0 {
		t.Error("bound")
	}
	s.says("jobready", 200, `{"status":true}`)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 1 {
		t.Error("not bound")
	}
}

func TestOnlyManagedResourcesAreAskedAbout(t *testing.T) {
	s, scheduler := newScript(t)
	scheduler.Extender.Managed = []string{string(fleet.EFA)}
	cluster, job := four(2)
	scheduler.Open(cluster).Allocate()
	if len(s.of("predicate", "prioritize", "allocate")) != 0 {
		t.Error("asked about a pod without the resource")
	}
	if len(cluster.Placed(job)) != 2 {
		t.Error("not placed")
	}
	fleet.Submit(cluster, fleet.Gang{Name: "other", Pods: 1, NICs: 32})
	scheduler.Open(cluster).Allocate()
	if len(s.of("allocate")) != 1 {
		t.Error("not asked about a pod with the resource")
	}
}

// Fact: a failing onSessionOpen that may not be ignored leaves the whole session without a filter.
func TestAFailingSessionOpenRegistersNothing(t *testing.T) {
	for _, ignorable := range []bool{true, false} {
		s, scheduler := newScript(t)
		scheduler.Extender.Ignorable = ignorable
		scheduler.Extender.Verbs.SessionOpen = "sessionopen"
		s.says("sessionopen", 500, "")
		cluster, _ := four(1)
		scheduler.Open(cluster).Allocate()
		if got := len(s.of("predicate")) > 0; got != ignorable {
			t.Errorf("ignorable %v: asked %v", ignorable, got)
		}
	}
}

func TestAQueueThatIsOverusedWaits(t *testing.T) {
	s, scheduler := newScript(t)
	scheduler.Extender.Verbs.QueueOverused = "queueoverused"
	cluster, job := four(1)
	s.says("queueoverused", 200, `{"overused":true}`)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 0 {
		t.Error("placed")
	}
	s.says("queueoverused", 200, `{"overused":false}`)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 1 {
		t.Error("not placed")
	}
}

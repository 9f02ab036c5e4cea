// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// crowded is a cluster of one node that a job of low priority fills, and one of high priority that
// waits; the queue of the one that runs is "a".
func crowded(queue string) (*rules.Cluster, *rules.Job) {
	cluster := &rules.Cluster{}
	fleet.Add(cluster, fleet.Pool{Name: "p5", Shape: fleet.P5, Zone: "a", Nodes: 1, BlockSize: 16})
	low := fleet.Submit(cluster, fleet.Gang{Name: "low", Pods: 1, Single: true, Queue: queue})
	cluster.Run(fleet.PodsOf(cluster, low)[0], "p5-0000")
	high := fleet.Submit(cluster, fleet.Gang{Name: "high", Pods: 1, Priority: 10, Queue: "b"})
	return cluster, high
}

func told(s *script) string {
	var lines []string
	for _, one := range s.of("allocate", "deallocate") {
		lines = append(lines, fmt.Sprintf("%s %s %s", one.verb, one.task.Name, status(one)))
	}
	return strings.Join(lines, "\n")
}

func TestPreemptTellsOfTheVictimWhileItRuns(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, high := crowded("b")
	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	if len(s.of("predicate")) != 0 {
		t.Error("allocate asks about a full node")
	}
	ssn.Preempt()
	want := "deallocate low-worker-0 64 on a node\nallocate high-worker-0 4 on a node"
	if got := told(s); got != want {
		t.Errorf("told:\n%s", got)
	}
	cluster.EndReleasing()
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(high)) != 1 {
		t.Error("the place is not taken")
	}
}

func TestReclaimAsksForNoScores(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, _ := crowded("a")
	ssn := scheduler.Open(cluster)
	ssn.Preempt()
	if len(ssn.Evicted) != 0 {
		t.Error("preempt crosses queues")
	}
	s.calls = nil
	ssn.Reclaim()
	if len(ssn.Evicted) != 1 || len(s.of("prioritize")) != 0 {
		t.Errorf("%d evicted, scores asked for %d times", len(ssn.Evicted), len(s.of("prioritize")))
	}
}

// A gang that gets too few places gives back what was evicted for it, told with status Running.
func TestEvictionsForHalfAGangAreTakenBack(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, _ := crowded("b")
	cluster.Jobs = cluster.Jobs[:1]
	cluster.Pods = cluster.Pods[:1]
	fleet.Submit(cluster, fleet.Gang{Name: "pair", Pods: 2, Priority: 10, Queue: "b"})
	ssn := scheduler.Open(cluster)
	ssn.Preempt()
	want := `deallocate low-worker-0 64 on a node
allocate pair-leader-0 4 on a node
deallocate pair-leader-0 1 on a node
allocate low-worker-0 32 on a node`
	if got := told(s); got != want {
		t.Errorf("told:\n%s", got)
	}
	if len(ssn.Evicted) != 0 {
		t.Error("evicted for half a gang")
	}
}

// Fact: the extender's vote counts only where it does not abstain, and one without victims vetoes.
func TestTheExtendersVoteOnVictims(t *testing.T) {
	low := string(fleet.UID("pod", "low-worker-0"))
	for _, one := range []struct {
		status    int
		answer    string
		ignorable bool
		want      int
	}{
		{200, `{"status":0,"victims":null}`, false, 1},
		{200, `{"status":1,"victims":null}`, false, 0},
		{200, `{"status":1,"victims":[{"UID":"` + low + `"}]}`, false, 1},
		{200, `{"status":1,"victims":[{"UID":"another"}]}`, false, 0},
		{500, ``, true, 0},
		{500, ``, false, 0},
	} {
		s, scheduler := newScript(t)
		scheduler.Extender.Ignorable = one.ignorable
		scheduler.Extender.Verbs.Preemptable = "preemptable"
		s.says("preemptable", one.status, one.answer)
		cluster, _ := crowded("b")
		ssn := scheduler.Open(cluster)
		ssn.Preempt()
		if len(ssn.Evicted) != one.want {
			t.Errorf("%d %s: %d evicted", one.status, one.answer, len(ssn.Evicted))
		}
	}
}

// What allocate found beyond help is not a candidate for evictions in the same session.
func TestUnresolvableNodesAreLeftAlone(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, _ := crowded("b")
	fleet.Add(cluster, fleet.Pool{Name: "free", Shape: fleet.P5, Zone: "a", Nodes: 1, BlockSize: 16})
	s.says("predicate", 200, `{"status":"m","code":3}`)
	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	s.calls = nil
	ssn.Preempt()
	for _, one := range s.of("predicate") {
		if one.node == "free-0000" {
			t.Error("asked again")
		}
	}
	if len(s.of("predicate")) != 1 {
		t.Error("the full node was not asked about")
	}
}

// Since 2026-08 preempt asks again after each victim; what still does not fit then is taken back.
func TestARecheckThatFailsTakesEvictionsBack(t *testing.T) {
	for _, recheck := range []bool{false, true} {
		s, scheduler := newScript(t)
		scheduler.Recheck = recheck
		s.says("predicate", 200, `{"status":"m","code":2}`)
		cluster, _ := crowded("b")
		ssn := scheduler.Open(cluster)
		ssn.Preempt()
		if got := len(ssn.Evicted) == 0; got != recheck {
			t.Errorf("recheck %v: %d evicted", recheck, len(ssn.Evicted))
		}
		if got := strings.Contains(told(s), "allocate low-worker-0 32 on a node"); got != recheck {
			t.Errorf("recheck %v: told:\n%s", recheck, told(s))
		}
	}
}

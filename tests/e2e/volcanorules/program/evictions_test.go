// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// action evicts: preempt within a queue, reclaim across queues. The gang that wants places is of
// queue "ours" and priority 10.
type action struct {
	name    string
	run     func(*rules.Session)
	victims string // their queue
}

var actions = []action{
	{"preempt", (*rules.Session).Preempt, "ours"},
	{"reclaim", (*rules.Session).Reclaim, "theirs"},
}

// crowded is a cluster of two fabrics that is full: with pods that may be evicted on the nodes of
// the pools given, with others elsewhere. One pod of the gang may run on the first pool already.
func crowded(act action, home, other fleet.Pool, evictable []fleet.Pool, started bool,
	nics int64) (*rules.Cluster, *rules.Job) {
	cluster := pools(home, other)
	gang := fleet.Submit(cluster, fleet.Gang{
		Name: "gang", Pods: 2, NICs: nics, Queue: "ours", Priority: 10,
	})
	for _, pool := range []fleet.Pool{home, other} {
		nodes := of(cluster, pool)
		if started && pool == home {
			cluster.Run(fleet.PodsOf(cluster, gang)[0], nodes[0])
			nodes = nodes[1:]
		}
		name, queue, priority := "kept-"+pool.Name, "ours", int32(100)
		for _, one := range evictable {
			if one == pool {
				name, queue, priority = "low-"+pool.Name, act.victims, 0
			}
		}
		fill(cluster, name, queue, priority, nodes)
	}
	return cluster, gang
}

// evictedNodes runs one session with an action that evicts, and lists the nodes of the victims.
func evictedNodes(t *testing.T, scheduler *rules.Scheduler, cluster *rules.Cluster,
	act action) []string {
	t.Helper()
	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	act.run(ssn)
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	var nodes []string
	for _, task := range ssn.Evicted {
		nodes = append(nodes, task.NodeName)
	}
	return nodes
}

// eachAction runs a test for both, and for fabrics that differ in zone and in shape.
func eachAction(t *testing.T, test func(t *testing.T, act action, home, other fleet.Pool, nics int64)) {
	for _, act := range actions {
		t.Run(act.name+"/zones", func(t *testing.T) { test(t, act, p5(zoneA, 4), p5(zoneB, 4), 32) })
		t.Run(act.name+"/shapes", func(t *testing.T) { test(t, act, p5(zoneA, 4), p4d(4), 0) })
	}
}

// The gang runs on one fabric already, and only pods of the other could be evicted.
func TestNobodyIsEvictedOnAnotherFabric(t *testing.T) {
	eachAction(t, func(t *testing.T, act action, home, other fleet.Pool, nics int64) {
		cluster, _ := crowded(act, home, other, []fleet.Pool{other}, true, nics)
		scheduler := serve(t, aws, cluster).scheduler()
		for range 3 {
			if nodes := evictedNodes(t, scheduler, cluster, act); len(nodes) != 0 {
				t.Fatalf("evicted on %v", nodes)
			}
		}
		if scheduler.Extender.Calls("predicate") == 0 {
			t.Error("the program was never asked")
		}
	})
}

// The same without the program: the test above would see it.
func TestWithoutTheProgramTheOtherFabricIsEvicted(t *testing.T) {
	eachAction(t, func(t *testing.T, act action, home, other fleet.Pool, nics int64) {
		cluster, _ := crowded(act, home, other, []fleet.Pool{other}, true, nics)
		scheduler := (&program{t: t}).scheduler()
		scheduler.Extender.Verbs = rules.Verbs{}
		if nodes := evictedNodes(t, scheduler, cluster, act); len(nodes) != 1 {
			t.Errorf("evicted on %v", nodes)
		}
	})
}

// Where an eviction helps there is one, on the gang's own fabric, and the place is taken.
func TestEvictionsHelpOnTheGangsFabric(t *testing.T) {
	eachAction(t, func(t *testing.T, act action, home, other fleet.Pool, nics int64) {
		cluster, gang := crowded(act, home, other, []fleet.Pool{home, other}, true, nics)
		p := serve(t, aws, cluster)
		scheduler := p.scheduler()
		nodes := evictedNodes(t, scheduler, cluster, act)
		if len(nodes) != 1 || fabrics(cluster, nodes)[0] != fabric(cluster, of(cluster, home)[0]) {
			t.Fatalf("evicted on %v, the gang is on %s", nodes, home.Name)
		}
		takesThePlace(t, p, scheduler, cluster, gang)
	})
}

// A gang that runs nowhere yet has two pods evicted for it, both on one fabric.
func TestEvictionsForAWholeGangAreOnOneFabric(t *testing.T) {
	for _, placement := range []string{"require", "prefer"} {
		t.Run(placement, func(t *testing.T) {
			eachAction(t, func(t *testing.T, act action, home, other fleet.Pool, nics int64) {
				cluster, gang := crowded(act, home, other, []fleet.Pool{home, other}, false, nics)
				p := serve(t, aws+"placement: "+placement+"\n", cluster)
				scheduler := p.scheduler()
				nodes := evictedNodes(t, scheduler, cluster, act)
				if len(nodes) != 2 || len(fabrics(cluster, nodes)) != 1 {
					t.Fatalf("evicted on %v", nodes)
				}
				takesThePlace(t, p, scheduler, cluster, gang)
			})
		})
	}
}

// takesThePlace lets the evicted pods go, first from the scheduler's view, then from the program's.
func takesThePlace(t *testing.T, p *program, scheduler *rules.Scheduler, cluster *rules.Cluster,
	gang *rules.Job) {
	t.Helper()
	ssn := scheduler.Open(cluster)
	ssn.Allocate() // the victims still run: the gang is pipelined, and nothing comes of it
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	cluster.EndReleasing()
	p.reload(cluster)
	place(t, scheduler, cluster, gang, 3)
	oneFabric(t, cluster, gang)
}

// A job that is only pipelined leaves no word when its session ends. The places go to others, and
// the gang is free to go to another fabric.
func TestWhatWasOnlyPipelinedIsForgotten(t *testing.T) {
	for _, placement := range []string{"require", "prefer"} {
		for _, known := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/known=%v", placement, known), func(t *testing.T) {
				home, other := p5(zoneA, 2), p5(zoneB, 2)
				cluster := pools(home, other)
				fill(cluster, "leaving", "default", 0, of(cluster, home))
				fill(cluster, "running", "default", 0, of(cluster, other))
				gang := fleet.Submit(cluster, fleet.Gang{Name: "gang", Pods: 2, NICs: 32})
				shown := cluster
				if !known {
					shown = nil
				}
				p := serve(t, aws+"placement: "+placement+"\n", shown)
				pipelinedOnly(t, p.scheduler(), cluster, "leaving")

				vacate(cluster, "leaving", "running")
				fill(cluster, "others", "default", 0, of(cluster, home))
				if known {
					p.reload(cluster)
				}
				place(t, p.scheduler(), cluster, gang, 3)
				if found := oneFabric(t, cluster, gang); found != fabric(cluster, of(cluster, other)[0]) {
					t.Errorf("it is on %s", found)
				}
			})
		}
	}
}

// pipelinedOnly runs a session in which a job leaves, and all that can be had is its places.
func pipelinedOnly(t *testing.T, scheduler *rules.Scheduler, cluster *rules.Cluster, leaving string) {
	t.Helper()
	evicting := scheduler.Open(cluster)
	statement := evicting.NewStatement()
	for _, job := range cluster.Jobs {
		if job.Name == leaving {
			for _, task := range evicting.Jobs[job.ID()].Tasks {
				statement.Evict(task)
			}
		}
	}
	statement.Commit()
	if err := evicting.Close(); err != nil {
		t.Fatal(err)
	}
	told := scheduler.Extender.Calls("allocate")
	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	if scheduler.Extender.Calls("allocate")-told != 2 {
		t.Fatalf("%d pods were pipelined, 2 are meant to be", scheduler.Extender.Calls("allocate")-told)
	}
}

// vacate lets the pods of jobs end.
func vacate(cluster *rules.Cluster, names ...string) {
	for _, name := range names {
		for _, job := range cluster.Jobs {
			if job.Name == name {
				cluster.End(job)
			}
		}
	}
}

// SPDX-License-Identifier: Apache-2.0

package program

import (
	"maps"
	"math/rand"
	"slices"
	"sort"
	"testing"
	"time"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// hot are the verbs of the wiring `full`.
var hot = rules.Verbs{
	Predicate: "predicate", Prioritize: "prioritize", Allocate: "allocate", Deallocate: "deallocate",
	SessionClose: "sessionclose",
}

// scheduler is one that asks the program. Nothing may be ignored, so that no fault goes unseen;
// and it keeps as many connections as it has workers, which spares the machine's ports.
func (p *program) scheduler() *rules.Scheduler {
	client := rules.NewClient(p.URL, patience, 16)
	p.t.Cleanup(client.HTTP.CloseIdleConnections)
	return &rules.Scheduler{
		Extender: &rules.Extender{
			Client: client, Verbs: hot, Managed: []string{string(fleet.GPU), "amd.com/gpu"},
		},
		Random: rand.New(rand.NewSource(1)),
	}
}

// pools makes a cluster whose nodes stand in no order that helps.
func pools(all ...fleet.Pool) *rules.Cluster {
	cluster := &rules.Cluster{}
	for _, pool := range all {
		fleet.Add(cluster, pool)
	}
	rand.New(rand.NewSource(2)).Shuffle(len(cluster.Nodes), func(a, b int) {
		cluster.Nodes[a], cluster.Nodes[b] = cluster.Nodes[b], cluster.Nodes[a]
	})
	return cluster
}

// p5 is a pool of one zone.
func p5(zone string, nodes int) fleet.Pool {
	return fleet.Pool{Name: "p5-" + zone, Shape: fleet.P5, Zone: zone, Nodes: nodes, BlockSize: 16}
}

// p4d is one of the other shape, in the same zone as p5("us-east-1a").
func p4d(nodes int) fleet.Pool {
	return fleet.Pool{Name: "p4d", Shape: fleet.P4d, Zone: "us-east-1a", Nodes: nodes, BlockSize: 16}
}

// place runs sessions until the job has all its places, and says how many it took. More than most
// is a failure.
func place(t *testing.T, scheduler *rules.Scheduler, cluster *rules.Cluster, job *rules.Job,
	most int) int {
	t.Helper()
	begun := time.Now()
	for session := 1; session <= most; session++ {
		ssn := scheduler.Open(cluster)
		ssn.Allocate()
		if err := ssn.Close(); err != nil {
			t.Fatal(err)
		}
		if len(cluster.Placed(job)) == len(fleet.PodsOf(cluster, job)) {
			cluster.StartBound()
			t.Logf("%s: %d sessions, %d ms, %d predicates, %d prioritizes", job.Name, session,
				time.Since(begun).Milliseconds(), scheduler.Extender.Calls("predicate"),
				scheduler.Extender.Calls("prioritize"))
			return session
		}
	}
	t.Fatalf("%s: %d of %d pods have a place after %d sessions", job.Name, len(cluster.Placed(job)),
		len(fleet.PodsOf(cluster, job)), most)
	return 0
}

// fabric is what the nodes of one fabric have in common.
func fabric(cluster *rules.Cluster, node string) string {
	labels := cluster.Object(node).Labels
	return labels["node.kubernetes.io/instance-type"] + " in " + labels["topology.kubernetes.io/zone"]
}

// fabrics lists those that the nodes are of.
func fabrics(cluster *rules.Cluster, nodes []string) []string {
	found := map[string]bool{}
	for _, node := range nodes {
		found[fabric(cluster, node)] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// blocks counts the nodes used by finest block.
func blocks(cluster *rules.Cluster, nodes []string) map[string]int {
	used := map[string]int{}
	for _, node := range nodes {
		used[cluster.Object(node).Labels[fleet.Block]]++
	}
	return used
}

// nodesOf lists where the job is.
func nodesOf(cluster *rules.Cluster, job *rules.Job) []string {
	return slices.Sorted(maps.Values(cluster.Placed(job)))
}

// oneFabric fails unless the job is on one, a node for every pod.
func oneFabric(t *testing.T, cluster *rules.Cluster, job *rules.Job) string {
	t.Helper()
	nodes := nodesOf(cluster, job)
	found := fabrics(cluster, nodes)
	if len(found) != 1 {
		t.Fatalf("%s is on %v", job.Name, found)
	}
	if distinct := slices.Compact(slices.Clone(nodes)); len(distinct) != len(nodes) {
		t.Fatalf("%s: %d pods on %d nodes", job.Name, len(nodes), len(distinct))
	}
	return found[0]
}

// wholeBlocks fails unless the job fills as many blocks of 16 as it must have, and no other.
func wholeBlocks(t *testing.T, cluster *rules.Cluster, job *rules.Job, want int) {
	t.Helper()
	used := blocks(cluster, nodesOf(cluster, job))
	sizes := slices.Collect(maps.Values(used))
	sort.Ints(sizes)
	if len(sizes) != want || sizes[0] != 16 {
		t.Fatalf("%s: %d blocks with %v nodes each, want %d with 16", job.Name, len(sizes), sizes, want)
	}
}

// fill lets a job of low priority run, a pod on every node given.
func fill(cluster *rules.Cluster, name, queue string, priority int32, nodes []string) {
	job := fleet.Submit(cluster, fleet.Gang{
		Name: name, Pods: len(nodes), Single: true, Queue: queue, Priority: priority,
	})
	for i, pod := range fleet.PodsOf(cluster, job) {
		cluster.Run(pod, nodes[i])
	}
}

// of lists the nodes of a pool by name.
func of(cluster *rules.Cluster, pool fleet.Pool) []string {
	var names []string
	for _, node := range cluster.Nodes {
		if len(node.Name) > len(pool.Name) && node.Name[:len(pool.Name)+1] == pool.Name+"-" {
			names = append(names, node.Name)
		}
	}
	sort.Strings(names)
	return names
}

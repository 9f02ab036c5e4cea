// SPDX-License-Identifier: Apache-2.0

package program

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// twoZones are nodes of one shape in two zones, count in each.
func twoZones(t *testing.T, count int) []*corev1.Node {
	t.Helper()
	model := nodesOf(t, "aws", "p5.48xlarge")[0]
	nodes := fixture.Copies(model, "a", count)
	other := fixture.Copies(model, "b", count)
	for _, node := range other {
		node.Labels["topology.kubernetes.io/zone"] = "us-east-1b"
		node.Spec.ProviderID = "aws:///us-east-1b/" + node.Name
	}
	return append(nodes, other...)
}

// zones are those that a pod is held to; empty: any.
func zones(pod *corev1.Pod) string {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil ||
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	found := map[string]bool{}
	terms := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for _, term := range terms {
		for _, one := range term.MatchExpressions {
			if one.Key == "topology.kubernetes.io/zone" {
				for _, value := range one.Values {
					found[value] = true
				}
			}
		}
	}
	text, _ := json.Marshal(found)
	return string(text)
}

// createAll creates the pods of a gang, 64 at a time.
func (w *world) createAll(gang *fixture.Gang) []*corev1.Pod {
	w.t.Helper()
	made := make([]*corev1.Pod, gang.Pods)
	faults := make([]error, gang.Pods)
	var all sync.WaitGroup
	turns := make(chan struct{}, 64)
	for rank := range gang.Pods {
		all.Add(1)
		go func() {
			defer all.Done()
			turns <- struct{}{}
			made[rank], faults[rank] = w.create(gang.Pod(rank), false)
			<-turns
		}()
	}
	all.Wait()
	for rank, err := range faults {
		if err != nil {
			w.t.Fatalf("pod %d: %v", rank, err)
		}
	}
	return made
}

// 64 pods of one gang, created in parallel through two replicas, are all made for one fabric, in
// each wiring: none of them could land in the other zone.
func TestOneChoiceForAGang(t *testing.T) {
	for _, wiring := range []string{"full", "score", "lean"} {
		t.Run(wiring, func(t *testing.T) {
			w := newWorld(t, twoZones(t, 80)...)
			replicas := w.serveReplicas(2, auto+"wiring: "+wiring+"\n")
			gang := w.gang(&fixture.Gang{Name: "many", Pods: 64})
			held := map[string]int{}
			for _, pod := range w.createAll(gang) {
				checkInjected(t, pod, map[string]int64{"vpc.amazonaws.com/efa": 32})
				held[zones(pod)]++
			}
			if len(held) != 1 {
				t.Errorf("pods are held to different zones: %v", held)
			}
			if wiring != "full" && held[""] > 0 {
				t.Errorf("pods are held to no zone, and nothing else would hold them: %v", held)
			}
			if w.choice(gang) == "" {
				t.Error("the choice is not kept")
			}
			for i, replica := range replicas {
				if replica.metric("injections_total") == 0 {
					t.Errorf("replica %d was not asked", i)
				}
			}
		})
	}
}

// A gang that was begun by one process goes on as it was begun with the next.
func TestChoiceSurvivesARestart(t *testing.T) {
	w := newWorld(t, twoZones(t, 4)...)
	d := w.serve(auto + "wiring: score\n")
	gang := w.gang(&fixture.Gang{Name: "long", Pods: 4})
	first := w.mustCreate(gang.Pod(0))
	chosen := w.choice(gang)
	d.kill()
	w.use()
	// The other zone is the better one by now.
	extra := twoZones(t, 8)
	w.addNodes(append(extra[4:8], extra[12:]...)...)
	w.use(d.start().awaitReady())
	for rank := 1; rank < gang.Pods; rank++ {
		made := w.mustCreate(gang.Pod(rank))
		if zones(made) != zones(first) {
			t.Errorf("pod %d is held to %s, the first to %s", rank, zones(made), zones(first))
		}
	}
	if again := w.choice(gang); again != chosen || chosen == "" {
		t.Errorf("the choice was %q and is %q", chosen, again)
	}
}

// Two gangs of which each would fit either zone, but not both into one, are made for different
// ones, though no pod of the first is placed yet.
func TestChoicesOfOthersAreReserved(t *testing.T) {
	w := newWorld(t, twoZones(t, 4)...)
	d := w.serve(auto + "wiring: score\n")
	seen := map[string]bool{}
	for i := range 2 {
		gang := w.gang(&fixture.Gang{Name: fmt.Sprintf("half-%d", i), Pods: 4})
		for _, pod := range w.createAll(gang) {
			seen[zones(pod)] = true
		}
		w.awaitInventory(d, "pod")
	}
	if len(seen) != 2 || seen[""] {
		t.Errorf("two gangs of four went to %v", seen)
	}
}

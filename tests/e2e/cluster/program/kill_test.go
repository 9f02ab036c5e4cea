// SPDX-License-Identifier: Apache-2.0

package program

import (
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// kill -9 while 500 pods are bound: each ends on exactly one node, with that node's profile, or
// was in flight while nobody answered; those are counted and few.
func TestKilledDuringBinds(t *testing.T) {
	const pods, workers = 500, 16
	model := nodesOf(t, "aws", "p5.48xlarge")[0]
	nodes := fixture.Copies(model, "n", pods)
	w := newWorld(t, nodes...)
	d := w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "big", Pods: pods})
	made := w.createAll(gang)

	var done, blind atomic.Int64 // blind: begun while no replica was there
	var down atomic.Bool
	half, killed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(killed)
		<-half
		down.Store(true)
		d.kill()
		w.use()
		w.use(d.start().awaitReady())
		down.Store(false)
	}()
	work := make(chan int)
	var all sync.WaitGroup
	for range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for rank := range work {
				wasDown := down.Load()
				if err := w.bind(t.Context(), made[rank], nodes[rank].Name, false); err != nil {
					t.Errorf("pod %d: %v", rank, err)
				}
				if wasDown || down.Load() {
					blind.Add(1)
				}
				if done.Add(1) == pods/4 {
					close(half)
				}
			}
		}()
	}
	for rank := range pods {
		if rank == pods/2 {
			<-killed // half of them are bound by the process that came after
		}
		work <- rank
	}
	close(work)
	all.Wait()
	w.checkAllBound(gang, nodes, int(blind.Load()))
}

// checkAllBound looks at each pod; at most blind of them may lack their profile.
func (w *world) checkAllBound(gang *fixture.Gang, nodes []*corev1.Node, blind int) {
	w.t.Helper()
	lacking := 0
	for rank := range gang.Pods {
		pod := w.pod(gang.Pod(rank))
		if pod.Spec.NodeName != nodes[rank].Name {
			w.t.Errorf("%s is on %q", pod.Name, pod.Spec.NodeName)
		}
		if pod.Annotations[profileKey] == "" {
			lacking++
			continue
		}
		checkBound(w.t, pod, nodes[rank].Name, fixture.Shape(nodes[rank]))
	}
	w.t.Logf("killed during %d binds: %d without a profile, %d were in flight", gang.Pods, lacking,
		blind)
	if lacking > blind {
		w.t.Errorf("%d pods lack their profile, %d were in flight", lacking, blind)
	}
}

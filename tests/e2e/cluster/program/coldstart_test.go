// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// Everything is registered and no replica is alive, as after a power cut: what the cluster needs to
// come up is created and bound, and so is what has nothing to do with networks; pods that ask for
// one wait, and go on when a replica comes.
func TestColdStart(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := newWorld(t, nodes...)
	d := w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "waiting", Pods: 2,
		Annotations: map[string]string{fixture.Networking: "true"}})
	quiet := w.gang(&fixture.Gang{Name: "quiet", Pods: 2})
	before := w.mustCreate(gang.Pod(0))
	d.kill()
	w.use()

	system := plainPod("kube-system", "dns")
	system.Annotations = map[string]string{fixture.Networking: "true"}
	own := plainPod("fabricbind", "fabricbind-0")
	own = secure(own)
	own.Spec.ServiceAccountName = "fabricbind"
	w.startScheduler()
	for _, pod := range []*corev1.Pod{system, own, plainPod(w.space, "web")} {
		began := time.Now()
		made := w.mustCreate(pod)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s waited for %s", pod.Name, took)
		}
		awaitFor(t, pod.Name, func() error {
			if now := w.pod(made); now.Spec.NodeName == "" {
				return fmt.Errorf("kube-scheduler does not bind it: %+v", now.Status.Conditions)
			}
			return nil
		})
	}
	made := w.mustCreate(quiet.Pod(0))
	if err := w.bind(t.Context(), made, nodes[1].Name, false); err != nil {
		t.Error(err)
	}
	// A pod that was made before is bound without its profile: no bind waits.
	if err := w.bind(t.Context(), before, nodes[0].Name, false); err != nil {
		t.Error(err)
	}
	if _, err := w.create(gang.Pod(1), false); err == nil {
		t.Fatal("a pod that asks for the network was created without it")
	}

	w.use(d.start().awaitReady())
	awaitFor(t, "the pod that waits", func() error {
		made, err := w.create(gang.Pod(1), false)
		if err != nil {
			return err
		}
		checkInjected(t, made, map[string]int64{"vpc.amazonaws.com/efa": 32})
		checkBound(t, w.bindAndWatch(made, nodes[2].Name), nodes[2].Name, "p5.48xlarge")
		return nil
	})
}

// startScheduler runs kube-scheduler until the test ends.
func (w *world) startScheduler() {
	w.t.Helper()
	stop, err := w.cluster.StartScheduler()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := stop(); err != nil {
			w.t.Error(err)
		}
	})
}

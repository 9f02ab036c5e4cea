// SPDX-License-Identifier: Apache-2.0

package program

import (
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
	w.service.set()

	system := plainPod("kube-system", "dns")
	system.Annotations = map[string]string{fixture.Networking: "true"}
	own := plainPod("fabricbind", "fabricbind-0")
	own = secure(own)
	own.Spec.ServiceAccountName = "fabricbind"
	for _, pod := range []*corev1.Pod{system, own, plainPod(w.space, "web"), quiet.Pod(0)} {
		began := time.Now()
		made := w.mustCreate(pod)
		if err := w.bind(t.Context(), made, nodes[1].Name, false); err != nil {
			t.Errorf("%s: %v", pod.Name, err)
		}
		if pod.Name != quiet.Pod(0).Name && time.Since(began) > 2*time.Second {
			t.Errorf("%s waited for %s", pod.Name, time.Since(began))
		}
	}
	// A pod that was made before is bound without its profile: no bind waits.
	if err := w.bind(t.Context(), before, nodes[0].Name, false); err != nil {
		t.Error(err)
	}
	if _, err := w.create(gang.Pod(1), false); err == nil {
		t.Fatal("a pod that asks for the network was created without it")
	}

	w.service.set(d.start().awaitReady())
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

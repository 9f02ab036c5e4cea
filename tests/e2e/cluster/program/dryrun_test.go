// SPDX-License-Identifier: Apache-2.0

package program

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// choice is what a gang's PodGroup tells of its fabric; "" where nothing was chosen.
func (w *world) choice(gang *fixture.Gang) string {
	w.t.Helper()
	group, err := w.objects.Resource(fixture.PodGroups).Namespace(gang.Space).
		Get(w.t.Context(), gang.Group(), metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return group.GetAnnotations()[fabricKey]
}

// A dry run of a creation answers as the real one would, and leaves no pod and no choice; a dry run
// of a bind leaves the pod as it was.
func TestDryRunLeavesNoTrace(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "try", Pods: 2})
	tried, err := w.create(gang.Pod(0), true)
	if err != nil {
		t.Fatal(err)
	}
	checkInjected(t, tried, map[string]int64{"vpc.amazonaws.com/efa": 32})
	_, err = w.admin.CoreV1().Pods(w.space).Get(t.Context(), tried.Name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("a dry run left a pod: %v", err)
	}
	if fabric := w.choice(gang); fabric != "" {
		t.Errorf("a dry run chose %q", fabric)
	}

	made := w.mustCreate(gang.Pod(0))
	if fabric := w.choice(gang); fabric == "" {
		t.Error("nothing was chosen when a pod was created")
	}
	if err := w.bind(t.Context(), made, "p5-0000", true); err != nil {
		t.Fatal(err)
	}
	after := w.pod(made)
	if after.Spec.NodeName != "" || after.ResourceVersion != made.ResourceVersion {
		t.Errorf("a dry run bound it to %q", after.Spec.NodeName)
	}
	checkBound(t, w.bindAndWatch(made, "p5-0001"), "p5-0001", "p5.48xlarge")
}

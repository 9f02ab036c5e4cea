// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// Nodes of two generations of two clouds each give their own settings to the pod that is bound
// there.
func TestEachShapeHasItsOwnSettings(t *testing.T) {
	a100, err := fixture.Node("aks-nd-a100-shared")
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		nodes    []*corev1.Node
		resource string
		count    int64
	}{
		{nodesOf(t, "aws", "p4d.24xlarge")[:2], "vpc.amazonaws.com/efa", 4},
		{nodesOf(t, "aws", "p5.48xlarge")[:2], "vpc.amazonaws.com/efa", 32},
		{fixture.Copies(a100, "a100", 2), "rdma/shared_ib", 1},
		{nodesOf(t, "azure", "Standard_ND96isr_H100_v5")[:2], "rdma/hca_shared_devices_a", 1},
	}
	w := newWorld(t)
	for _, one := range cases {
		w.addNodes(one.nodes...)
	}
	w.serve(auto)
	for _, one := range cases {
		shape := fixture.Shape(one.nodes[0])
		t.Run(shape, func(t *testing.T) {
			gang := w.gang(&fixture.Gang{
				Name: strings.ToLower(strings.ReplaceAll(strings.ReplaceAll(shape, "_", "-"), ".", "-")),
				Pods: 2, Selector: map[string]string{"node.kubernetes.io/instance-type": shape},
			})
			made := w.mustCreate(gang.Pod(0))
			checkInjected(t, made, map[string]int64{one.resource: one.count})
			bound := w.bindAndWatch(made, one.nodes[0].Name)
			checkBound(t, bound, one.nodes[0].Name, shape)
			if err := w.beKubelet(bound); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a user wrote where the profile goes is gone when the pod is on its node, whether it was
// written at creation, on the pod afterwards, or into the Binding.
func TestUsersOwnValuesDoNotSurvive(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := newWorld(t, nodes...)
	w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "forged", Pods: 2, Annotations: map[string]string{
		profileKey: "forged", confKey: "NCCL_NET=forged", topoKey: "<system>forged</system>",
		"fabricbind.io/degraded": "forged",
	}})
	made := w.mustCreate(gang.Pod(0))
	for key, value := range made.Annotations {
		if strings.Contains(value, "forged") && strings.HasPrefix(key, "fabricbind.io/") {
			t.Errorf("after creation %s is %q", key, value)
		}
	}
	made = w.annotate(made, map[string]string{
		profileKey: "forged", confKey: "NCCL_NET=forged", topoKey: "<system>forged</system>",
	})
	bound := w.bindAndWatch(made, nodes[0].Name)
	checkBound(t, bound, nodes[0].Name, "p5.48xlarge")
	for _, key := range []string{profileKey, confKey, topoKey} {
		if strings.Contains(bound.Annotations[key], "forged") {
			t.Errorf("after the bind %s is %q", key, bound.Annotations[key])
		}
	}
}

// A pod whose annotations come close to the API server's limit of 256 KiB is bound without going
// over it, so that its kubelet can still tell its status.
func TestAnnotationsNearTheLimit(t *testing.T) {
	const limit = 256 << 10
	nodes := nodesOf(t, "aws", "p4d.24xlarge") // they have a topology
	w := newWorld(t, nodes...)
	w.serve(auto)
	for _, left := range []int{8192, 4096, 2048} {
		gang := w.gang(&fixture.Gang{Name: "large-" + strings.Repeat("x", left/1024), Pods: 2})
		made := w.mustCreate(gang.Pod(0))
		fill := limit - annotationBytes(made) - len("example.com/fill") - left
		made = w.annotate(made, map[string]string{"example.com/fill": strings.Repeat("x", fill)})
		bound := w.bindAndWatch(made, nodes[0].Name)
		if bound.Annotations[profileKey] == "" {
			t.Errorf("%d bytes left: no profile", left)
		}
		if got := annotationBytes(bound); got > limit {
			t.Errorf("%d bytes left: %d bytes of annotations are bound", left, got)
		}
		if err := w.beKubelet(bound); err != nil {
			t.Errorf("%d bytes left: %v", left, err)
		}
	}
}

func annotationBytes(pod *corev1.Pod) int {
	bytes := 0
	for key, value := range pod.Annotations {
		bytes += len(key) + len(value)
	}
	return bytes
}

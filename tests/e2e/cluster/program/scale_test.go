// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// No GPU node exists: a pod that names an instance type is made for it; one that names nothing and
// asks for the network is denied with the reason; one that does not ask passes with a warning.
func TestScaleFromZero(t *testing.T) {
	w := newWorld(t)
	w.serve("multinodeNetworking: {aws: {enabled: true, efaDevicesPerGPU: auto}}\n")
	named := w.gang(&fixture.Gang{Name: "named", Pods: 4,
		Selector:    map[string]string{"node.kubernetes.io/instance-type": "p5.48xlarge"},
		Annotations: map[string]string{fixture.Networking: "true"}})
	checkInjected(t, w.mustCreate(named.Pod(0)), map[string]int64{"vpc.amazonaws.com/efa": 32})

	nothing := w.gang(&fixture.Gang{Name: "nothing", Pods: 4,
		Annotations: map[string]string{fixture.Networking: "true"}})
	_, err := w.create(nothing.Pod(0), false)
	if err == nil || !strings.Contains(err.Error(), "denied the request") {
		t.Fatalf("not denied: %v", err)
	}
	t.Logf("the reason: %v", err)
	if !strings.Contains(err.Error(), "instance type") && !strings.Contains(err.Error(), "nic") &&
		!strings.Contains(err.Error(), "NIC") {
		t.Errorf("no reason: %v", err)
	}

	client, kept := w.warned()
	quiet := w.gang(&fixture.Gang{Name: "quiet", Pods: 4})
	made, err := client.CoreV1().Pods(w.space).Create(t.Context(), quiet.Pod(0), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if managed(made) {
		t.Error("a pod was made for nodes that nobody knows")
	}
	if kept.said() == "" {
		t.Error("no warning")
	}
}

// A pod that was made for an instance type gets the profile of the node that came.
func TestNodeThatCameLater(t *testing.T) {
	w := newWorld(t)
	d := w.serve("multinodeNetworking: {aws: {enabled: true, efaDevicesPerGPU: auto}}\n")
	gang := w.gang(&fixture.Gang{Name: "early", Pods: 2,
		Selector:    map[string]string{"node.kubernetes.io/instance-type": "p5.48xlarge"},
		Annotations: map[string]string{fixture.Networking: "true"}})
	made := w.mustCreate(gang.Pod(0))
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w.addNodes(nodes...)
	w.awaitInventory(d, "node")
	checkBound(t, w.bindAndWatch(made, nodes[0].Name), nodes[0].Name, "p5.48xlarge")
}

// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

const auto = "provider: auto\n"

// provider is a cloud: nodes of its own, and what a pod of 8 GPUs asks for there.
type provider struct {
	name, shape string
	nics        map[string]int64
}

var providers = []provider{
	{"aws", "p5.48xlarge", map[string]int64{"vpc.amazonaws.com/efa": 32}},
	{"azure", "Standard_ND96isr_H100_v5", map[string]int64{"rdma/hca_shared_devices_a": 1}},
	{"gcp", "a3-megagpu-8g", networks("networking.gke.io.networks/gpu-nic", 8)},
	{"oci", "BM.GPU.H100.8", map[string]int64{"nvidia.com/mlnxnics": 16}},
}

func networks(prefix string, count int) map[string]int64 {
	all := map[string]int64{}
	for i := range count {
		all[fmt.Sprintf("%s%d", prefix, i)] = 1
	}
	return all
}

// nodesOf are the nodes of a provider's snapshot that have a shape.
func nodesOf(t *testing.T, provider, shape string) []*corev1.Node {
	t.Helper()
	all, err := fixture.Snapshot(provider)
	if err != nil {
		t.Fatal(err)
	}
	found := fixture.OfShape(all, shape)
	if len(found) == 0 {
		t.Fatalf("%s has no node of %s", provider, shape)
	}
	return found
}

// goldenConf is the nccl.conf of an instance type, typed by hand.
func goldenConf(t *testing.T, shape string) string {
	t.Helper()
	path, err := fixture.Data("golden", shape, "nccl.conf")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkInjected looks at a pod that admission has been through.
func checkInjected(t *testing.T, pod *corev1.Pod, nics map[string]int64) {
	t.Helper()
	if !managed(pod) {
		t.Errorf("%s: not marked as managed: %v %v", pod.Name, pod.Labels, pod.Annotations)
	}
	for resource, want := range nics {
		if got, err := requested(pod, resource); err != nil || got != want {
			t.Errorf("%s: %d %s, not %d (%v)", pod.Name, got, resource, want, err)
		}
	}
	volume := mounted(pod, "/etc/fabricbind")
	if volume == nil || volume.DownwardAPI == nil {
		t.Fatalf("%s: no downward API volume at /etc/fabricbind: %+v", pod.Name, volume)
	}
	var fields []string
	for _, item := range volume.DownwardAPI.Items {
		fields = append(fields, item.FieldRef.FieldPath)
	}
	for _, key := range []string{profileKey, confKey, topoKey} {
		if want := "metadata.annotations['" + key + "']"; !contains(fields, want) {
			t.Errorf("%s: the volume does not show %s: %v", pod.Name, want, fields)
		}
	}
}

func contains(texts []string, text string) bool {
	for _, one := range texts {
		if one == text {
			return true
		}
	}
	return false
}

// checkBound looks at the event that first has a pod on its node.
func checkBound(t *testing.T, bound *corev1.Pod, node, shape string) {
	t.Helper()
	if bound.Spec.NodeName != node {
		t.Errorf("%s: on %s, not %s", bound.Name, bound.Spec.NodeName, node)
	}
	for _, key := range []string{profileKey, confKey, topoKey} {
		if _, has := bound.Annotations[key]; !has {
			t.Errorf("%s: no annotation %s", bound.Name, key)
		}
	}
	profile := bound.Annotations[profileKey]
	for _, want := range []string{`"` + node + `"`, `"` + shape + `"`} {
		if !strings.Contains(profile, want) {
			t.Errorf("%s: the profile does not have %s: %s", bound.Name, want, profile)
		}
	}
	if got, want := bound.Annotations[confKey], goldenConf(t, shape); got != want {
		t.Errorf("%s on %s: nccl.conf is\n%s\nnot\n%s", bound.Name, shape, got, want)
	}
	named := strings.Contains(bound.Annotations[confKey], "NCCL_TOPO_FILE=")
	if has := strings.Contains(bound.Annotations[topoKey], "<system"); has != named {
		t.Errorf("%s: nccl.conf names a topology file: %v; it is there: %v", bound.Name, named, has)
	}
}

// Pods of a gang without any annotation are made for their fabric and bound with the profile of
// their node, in one write, at each provider, with a name and with a prefix of one.
func TestGangWithoutAnnotation(t *testing.T) {
	for _, cloud := range providers {
		t.Run(cloud.name, func(t *testing.T) {
			nodes := nodesOf(t, cloud.name, cloud.shape)
			w := newWorld(t, nodes...)
			d := w.serve(auto)
			gang := w.gang(&fixture.Gang{Name: "pretrain", Pods: 4})
			for rank := range gang.Pods {
				pod := gang.Pod(rank)
				if rank%2 == 1 {
					pod = gang.Generated(rank)
				}
				made := w.mustCreate(pod)
				checkInjected(t, made, cloud.nics)
				bound := w.bindAndWatch(made, nodes[rank].Name)
				checkBound(t, bound, nodes[rank].Name, cloud.shape)
				if err := w.beKubelet(bound); err != nil {
					t.Errorf("a kubelet cannot tell that %s runs: %v", bound.Name, err)
				}
			}
			if got := d.metric("injections_total", `provider="`+cloud.name+`"`); got < 4 {
				t.Errorf("injections_total is %g", got)
			}
			if got := d.metric("binds_total"); got < 4 {
				t.Errorf("binds_total is %g", got)
			}
		})
	}
}

// Controllers create pods within milliseconds of their owner, and in namespaces that were made just
// now: such pods get what they would get later.
func TestPodRightAfterItsOwner(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	w.serve(auto)
	for i := range 20 {
		gang := &fixture.Gang{Name: fmt.Sprintf("young-%d", i), Space: w.space, Pods: 2}
		if i%2 == 1 {
			gang.Space = w.namespace("baseline")
		}
		if err := gang.Create(t.Context(), w.objects); err != nil {
			t.Fatal(err)
		}
		checkInjected(t, w.mustCreate(gang.Pod(0)), map[string]int64{"vpc.amazonaws.com/efa": 32})
	}
}

// The same for a pod that asks for it and whose owner nobody knows.
func TestAnnotatedPod(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := newWorld(t, nodes...)
	w.serve(auto)
	gang := fixture.Gang{Name: "alone", Space: w.space, Pods: 1}
	for _, key := range []string{fixture.Networking, "nhx.nvidia.com/enable-multi-node-networking"} {
		pod := gang.Generated(0)
		pod.OwnerReferences = nil
		pod.Annotations = map[string]string{key: "true"}
		made := w.mustCreate(pod)
		checkInjected(t, made, map[string]int64{"vpc.amazonaws.com/efa": 32})
		checkBound(t, w.bindAndWatch(made, nodes[0].Name), nodes[0].Name, "p5.48xlarge")
	}
}

// What is not for it passes as it came: pods without GPUs, of one pod only, opted out, in namespaces
// that opted out, and in kube-system.
func TestOthersPass(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	w.serve(auto)
	single := w.gang(&fixture.Gang{Name: "single", Pods: 1})
	refused := w.gang(&fixture.Gang{Name: "refused", Pods: 4,
		Annotations: map[string]string{fixture.Networking: "false"}})
	out := w.gang(&fixture.Gang{Name: "out", Pods: 4, Space: w.optedOut()})
	system := plainPod("kube-system", "system")
	system.Annotations = map[string]string{fixture.Networking: "true"}
	for _, pod := range []*corev1.Pod{
		plainPod(w.space, "plain"), single.Pod(0), refused.Pod(0), out.Pod(0), system,
	} {
		made := w.mustCreate(pod)
		if managed(made) || mounted(made, "/etc/fabricbind") != nil {
			t.Errorf("%s was changed: %v", pod.Name, made.Annotations)
		}
		if got, _ := requested(made, "vpc.amazonaws.com/efa"); got != 0 {
			t.Errorf("%s asks for %d NICs", pod.Name, got)
		}
	}
}

// optedOut makes a namespace that wants nothing of it.
func (w *world) optedOut() string {
	w.t.Helper()
	name := w.namespace("")
	spaces := w.admin.CoreV1().Namespaces()
	space, err := spaces.Get(w.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	space.Labels[fixture.Networking] = "false"
	if _, err := spaces.Update(w.t.Context(), space, metav1.UpdateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	return name
}

// In observe nothing is changed and nothing refused; it is counted all the same.
func TestObserveChangesNothing(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	d := newDaemon(t, w.cluster, w.service, auto+"mode: observe\n").start().awaitReady()
	w.use(d)
	gang := w.gang(&fixture.Gang{Name: "watched", Pods: 2})
	awaitFor(t, "an injection that is counted", func() error {
		made, err := w.create(gang.Pod(0), true)
		if err != nil {
			return err
		}
		if managed(made) {
			t.Fatal("a pod was changed")
		}
		if d.metric("injections_total") == 0 {
			return fmt.Errorf("injections_total is 0")
		}
		return nil
	})
	made := w.mustCreate(gang.Pod(0))
	if managed(made) {
		t.Error("a pod was changed")
	}
	if bound := w.bindAndWatch(made, "p5-0000"); bound.Annotations[profileKey] != "" {
		t.Error("a profile was bound")
	}
}

// SPDX-License-Identifier: Apache-2.0

package program

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// recordedFor are the configurations that recorded pods are for, by what their names end in.
var recordedFor = []struct {
	provider, suffix, settings string
}{
	{"aws", "-ratio4", "multinodeNetworking: {aws: {enabled: true, efaDevicesPerGPU: 4}}\n"},
	{"aws", "-ratio1", "multinodeNetworking: {aws: {enabled: true, efaDevicesPerGPU: 1}}\n"},
	{"aws", "-ratio0.5", "multinodeNetworking: {aws: {enabled: true, efaDevicesPerGPU: 0.5}}\n"},
	{"azure", "", "multinodeNetworking: {azure: {enabled: true, rdmaDevicesPerGPU: auto}}\n"},
	{"gcp", "", "multinodeNetworking: {gcp: {enabled: true}}\n"},
	{"oci", "-ratio2", "multinodeNetworking: {oci: {enabled: true, rdmaDevicesPerGPU: 2}}\n"},
	{"oci", "-ratio8", "multinodeNetworking: {oci: {enabled: true, rdmaDevicesPerGPU: 8}}\n"},
}

// All pods that were recorded before a policy's admission are admitted by a real API server with
// what is injected into them, under the configuration that they are for. One is denied with the
// reason: it asks for the network that only whole nodes have, and for one GPU.
func TestKyvernoPodsAreAdmitted(t *testing.T) {
	seen := 0
	for _, one := range recordedFor {
		t.Run(one.provider+one.suffix, func(t *testing.T) {
			nodes, err := fixture.Snapshot(one.provider)
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, nodes...)
			w.serve(one.settings)
			folder, err := fixture.Data("kyverno", one.provider)
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(folder, "*"+one.suffix+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				seen++
				name := strings.TrimSuffix(filepath.Base(file), ".in.json")
				w.admit(one.provider, name, file)
			}
		})
	}
	if lacking == "" && !t.Failed() && seen != 155 {
		t.Errorf("%d pods, 155 are there", seen)
	}
}

func (w *world) admit(provider, name, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		w.t.Fatal(err)
	}
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		w.t.Fatalf("%s: %v", name, err)
	}
	pod.ObjectMeta = metav1.ObjectMeta{
		Name: strings.ToLower(strings.ReplaceAll(name, ".", "-")), Namespace: w.space,
		Labels: pod.Labels, Annotations: pod.Annotations, OwnerReferences: pod.OwnerReferences,
	}
	made, err := w.create(&pod, false)
	if err != nil {
		w.t.Errorf("%s: %v", name, err)
		return
	}
	// Its network is shared by whole nodes only: it is made with a warning, and placed nowhere.
	if provider == "gcp" && name == "gpu1" && managed(made) {
		w.t.Errorf("%s: it was changed", name)
	}
	changed := strings.HasPrefix(name, "base") || strings.HasPrefix(name, "two-gpu") ||
		strings.HasPrefix(name, "sidecar") || strings.HasPrefix(name, "env-")
	if changed && !managed(made) {
		w.t.Errorf("%s: it was not changed", name)
	}
	if strings.HasPrefix(name, "mig") && managed(made) {
		w.t.Errorf("%s: it was changed", name)
	}
}

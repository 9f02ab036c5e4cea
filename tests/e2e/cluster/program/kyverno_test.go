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

// All pods that were recorded before a policy's admission are admitted by a real API server with
// what is injected into them. Names say the configuration they are for, and what is special.
func TestKyvernoPodsAreAdmitted(t *testing.T) {
	seen := 0
	for _, cloud := range providers {
		t.Run(cloud.name, func(t *testing.T) {
			w := newWorld(t, nodesOf(t, cloud.name, cloud.shape)...)
			w.serve(auto)
			folder, err := fixture.Data("kyverno", cloud.name)
			if err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(folder, "*.in.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				seen++
				w.admit(strings.TrimSuffix(filepath.Base(file), ".in.json"), file)
			}
		})
	}
	if lacking == "" && !t.Failed() && seen != 155 {
		t.Errorf("%d pods, 155 are there", seen)
	}
}

func (w *world) admit(name, file string) {
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
	switch {
	case strings.HasPrefix(name, "annotation-false"), strings.HasPrefix(name, "mig-"):
		if managed(made) {
			w.t.Errorf("%s: it was changed", name)
		}
	case strings.HasPrefix(name, "base"), strings.HasPrefix(name, "two-gpu"),
		strings.HasPrefix(name, "sidecar"):
		if !managed(made) {
			w.t.Errorf("%s: it was not changed", name)
		}
	}
}

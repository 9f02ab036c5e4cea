// SPDX-License-Identifier: Apache-2.0

// Package schema holds pods that came out of injection against the schema of core/v1.
package schema

import (
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/json"
)

// Every file of PODS is a Pod: no field is unknown, given twice or of another type.
func TestPodsDecodeStrictly(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(os.Getenv("PODS"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 155 {
		t.Fatalf("%d pods in %q, 155 or more are wanted", len(files), os.Getenv("PODS"))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var pod corev1.Pod
			strict, err := json.UnmarshalStrict(text, &pod)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range strict {
				t.Error(one)
			}
		})
	}
}

// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The versions that the programs are cached under, and that the API server is told to be, are those
// they are built from.
func TestVersionsAreTheModules(t *testing.T) {
	module, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(module, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, required := range []string{
		"k8s.io/kubernetes " + Version, "go.etcd.io/etcd/server/v3 " + EtcdVersion,
	} {
		if !strings.Contains(string(text), "\t"+required+" ") &&
			!strings.Contains(string(text), "\t"+required+"\n") {
			t.Errorf("go.mod does not require %s", required)
		}
	}
	for name, path := range packages {
		if !strings.Contains(string(text), "\t"+path+"\n") {
			t.Errorf("go.mod does not list %s, %s, as a tool", name, path)
		}
	}
}

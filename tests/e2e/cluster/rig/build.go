// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// The programs of a control plane, by the packages that go.mod lists as tools.
const (
	Etcd      = "etcd"
	APIServer = "kube-apiserver"
	Scheduler = "kube-scheduler"
	Kubectl   = "kubectl"
)

var packages = map[string]string{
	Etcd:      "go.etcd.io/etcd/server/v3",
	APIServer: "k8s.io/kubernetes/cmd/kube-apiserver",
	Scheduler: "k8s.io/kubernetes/cmd/kube-scheduler",
	Kubectl:   "k8s.io/kubernetes/cmd/kubectl",
}

// The versions in go.mod of k8s.io/kubernetes and of etcd; a test compares them.
const (
	Version     = "v1.36.1"
	EtcdVersion = "v3.6.8"
)

// Binary returns the path of a program of the control plane. It is built when the cache has none
// for these requirements and this Go: minutes the first time, nothing later. Several test programs
// may ask at once; one builds.
func Binary(name string) (string, error) {
	module, err := moduleRoot()
	if err != nil {
		return "", err
	}
	folder, err := cacheFolder()
	if err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(folder, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, build(module, name, path)
}

func build(module, name, path string) error {
	number := strings.Split(strings.TrimPrefix(Version, "v"), ".")
	const variable = "k8s.io/component-base/version."
	// Without these the API server calls itself v0.0.0, and turns features off by its version.
	flags := fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s",
		variable, Version, number[0], number[1])
	command := exec.Command("go", "build", "-trimpath", "-ldflags", flags, "-o", path+".new",
		packages[name])
	command.Dir = module
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	fmt.Fprintf(os.Stderr, "building %s\n", name)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", name, err, output)
	}
	return os.Rename(path+".new", path)
}

// cacheFolder is $FB_E2E_CACHE, else a folder of the user's cache, and in it one for what the
// programs are built from.
func cacheFolder() (string, error) {
	base := os.Getenv("FB_E2E_CACHE")
	if base == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		base = filepath.Join(user, "fabricbind-e2e")
	}
	folder := filepath.Join(base, "kubernetes-"+Version+"-etcd-"+EtcdVersion+"-"+runtime.Version())
	return folder, os.MkdirAll(folder, 0o755)
}

func lock(path string) (func(), error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() { _ = file.Close() }, nil
}

// moduleRoot is the folder of go.mod: tests run in the folder of their package.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("no go.mod above the tests")
		}
		folder = filepath.Dir(folder)
	}
}

// Repository is the root of the repository that this module is part of.
func Repository() (string, error) {
	module, err := moduleRoot()
	if err != nil {
		return "", err
	}
	return filepath.Join(module, "..", "..", ".."), nil
}

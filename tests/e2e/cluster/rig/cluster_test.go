// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func clientOf(t *testing.T, config *rest.Config) kubernetes.Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func temporary(t *testing.T) *Cluster {
	t.Helper()
	c, remove, err := Temporary()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(t.Failed()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// What was created is there after the API server was stopped and started; users have the rights
// that they were given, and no others.
func TestClusterKeepsStateAndRights(t *testing.T) {
	c := temporary(t)
	admin := clientOf(t, c.Admin())
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kept"}}
	if _, err := admin.CoreV1().Namespaces().Create(t.Context(), space, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "nobody"}}
	if _, err := admin.CoreV1().ServiceAccounts("kept").Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	token, err := c.Token(t.Context(), "kept", "nobody", 3600)
	if err != nil {
		t.Fatal(err)
	}
	nobody := clientOf(t, c.As(token))
	if _, err := nobody.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("an account without rights got %v, not Forbidden", err)
	}
	if err := c.StopServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CoreV1().Namespaces().Get(t.Context(), "kept", metav1.GetOptions{}); err == nil {
		t.Error("a stopped API server answers")
	}
	if err := c.StartServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CoreV1().Namespaces().Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	version, err := admin.Discovery().ServerVersion()
	if err != nil || version.GitVersion != Version {
		t.Errorf("it says that it is %v (%v), not %s", version, err, Version)
	}
}

// kubectl, as built, reads the administrator's file.
func TestKubectlReachesIt(t *testing.T) {
	c := temporary(t)
	config, err := c.AdminKubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	kubectl, err := Binary(Kubectl)
	if err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(kubectl, "--kubeconfig", config, "get", "namespaces", "-o", "name").
		CombinedOutput()
	if err != nil || !strings.Contains(string(output), "namespace/kube-system") {
		t.Errorf("%v: %s", err, output)
	}
}

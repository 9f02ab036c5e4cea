// SPDX-License-Identifier: Apache-2.0

// Package program tests `fabricbind serve` beside a real API server, as a black box: FB_BIN is the
// program. It acts as the service account of deploy/install.yaml and has exactly its rights.
package program

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
	"example.com/fabricbind/tests/e2e/cluster/manifest"
	"example.com/fabricbind/tests/e2e/cluster/rig"
)

// patience bounds every wait; none is meant to take this long.
const patience = 60 * time.Second

// shared is the control plane of all tests but those that stop theirs. Tests run one after the
// other: there is one MutatingWebhookConfiguration.
var shared *rig.Cluster

// lacking says why no test of this package can run; "" when all can.
var lacking string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	lacking = whatIsLacking()
	if lacking != "" {
		return m.Run()
	}
	made, remove, err := rig.Temporary()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = made
	code := 1
	if err := prepare(shared); err != nil {
		fmt.Fprintln(os.Stderr, err)
	} else {
		code = m.Run()
	}
	if err := remove(code != 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func whatIsLacking() string {
	program := os.Getenv("FB_BIN")
	if program == "" {
		return "FB_BIN is not set: the path of the fabricbind program"
	}
	help, err := exec.Command(program, "serve", "--help").CombinedOutput()
	if err != nil {
		return fmt.Sprintf("%s serve --help: %v", program, err)
	}
	if !strings.Contains(string(help), "--kubeconfig") {
		return program + " has no option --kubeconfig"
	}
	return ""
}

// prepare puts into a cluster what all tests want there: the program's identity and rights,
// Volcano's kinds, and the account that each pod needs.
func prepare(c *rig.Cluster) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	applier, err := manifest.NewApplier(c.Admin())
	if err != nil {
		return err
	}
	if err := applier.ApplyInstall(ctx, false, manifest.Identity...); err != nil {
		return err
	}
	if err := fixture.Define(ctx, c.Admin()); err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(c.Admin())
	if err != nil {
		return err
	}
	for _, space := range []string{"default", "kube-system"} {
		if err := addAccount(ctx, client, space); err != nil {
			return err
		}
	}
	return nil
}

// addAccount makes a namespace's account "default": no controller does.
func addAccount(ctx context.Context, client kubernetes.Interface, space string) error {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	_, err := client.CoreV1().ServiceAccounts(space).Create(ctx, account, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// awaitFor asks until it is told that all is well, and fails with what it was told last.
func awaitFor(t *testing.T, what string, ask func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := ask()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(30 * time.Millisecond)
	}
}

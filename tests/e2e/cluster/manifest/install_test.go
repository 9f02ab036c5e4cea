// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/fabricbind/tests/e2e/cluster/rig"
)

var cluster *rig.Cluster

func TestMain(m *testing.M) {
	made, remove, err := rig.Temporary()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cluster = made
	code := m.Run()
	if err := remove(code != 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// install puts all of install.yaml into the cluster.
func install(t *testing.T) kubernetes.Interface {
	t.Helper()
	applier, err := NewApplier(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	if err := applier.ApplyInstall(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// A real API server takes every document, first as a dry run that leaves nothing, then in earnest,
// and again over what is there.
func TestInstallIsAccepted(t *testing.T) {
	applier, err := NewApplier(cluster.Admin())
	if err != nil {
		t.Fatal(err)
	}
	// A dry run of what stands in a namespace wants the namespace.
	if err := applier.ApplyInstall(t.Context(), false, "Namespace"); err != nil {
		t.Fatal(err)
	}
	if err := applier.ApplyInstall(t.Context(), true); err != nil {
		t.Error(err)
	}
	client := install(t)
	install(t)
	if _, err := client.AppsV1().Deployments(Space).
		Get(t.Context(), "fabricbind", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// The pods of the Deployment keep to the Pod Security level that their own namespace is held to.
func TestInstallPodIsRestricted(t *testing.T) {
	client := install(t)
	template := one[*appsv1.Deployment](t).Spec.Template
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = "fabricbind-0"
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if _, err := client.CoreV1().Pods(Space).Create(t.Context(), pod, dry); err != nil {
		t.Error(err)
	}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil
	_, err := client.CoreV1().Pods(Space).Create(t.Context(), pod, dry)
	if err == nil || !strings.Contains(err.Error(), "restricted") {
		t.Errorf("the namespace is not held to restricted: %v", err)
	}
}

// right is one thing that the program may or may not do.
type right struct {
	verb, group, resource, space, name string
	allowed                            bool
}

// The account has the rights that the program needs and no others of these.
func TestInstallRights(t *testing.T) {
	client := install(t)
	const hooks = "admissionregistration.k8s.io"
	rights := []right{
		{"list", "", "nodes", "", "", true},
		{"watch", "", "pods", "", "", true},
		{"get", "", "pods", "default", "a", true},
		{"watch", "", "namespaces", "", "", true},
		{"patch", "scheduling.volcano.sh", "podgroups", "default", "a", true},
		{"list", "batch.volcano.sh", "jobs", "", "", true},
		{"patch", "batch", "jobs", "default", "a", true},
		{"list", "apps", "statefulsets", "", "", true},
		{"create", "events.k8s.io", "events", "default", "", true},
		{"create", "", "secrets", Space, "", true},
		{"get", "", "secrets", Space, Secret, true},
		{"update", "", "secrets", Space, Secret, true},
		{"create", hooks, "mutatingwebhookconfigurations", "", "", true},
		{"get", hooks, "mutatingwebhookconfigurations", "", Webhook, true},
		{"update", hooks, "mutatingwebhookconfigurations", "", Webhook, true},

		{"get", "", "secrets", Space, "other", false},
		{"list", "", "secrets", Space, "", false},
		{"get", "", "secrets", "default", Secret, false},
		{"create", "", "secrets", "default", "", false},
		{"delete", "", "secrets", Space, Secret, false},
		{"create", "", "pods", "default", "", false},
		{"patch", "", "pods", "default", "a", false},
		{"delete", "", "pods", "default", "a", false},
		{"patch", "", "nodes", "", "a", false},
		{"patch", "", "namespaces", "", "a", false},
		{"patch", "apps", "statefulsets", "default", "a", false},
		{"delete", "batch.volcano.sh", "jobs", "default", "a", false},
		{"update", hooks, "mutatingwebhookconfigurations", "", "other", false},
		{"delete", hooks, "mutatingwebhookconfigurations", "", Webhook, false},
		{"create", hooks, "validatingwebhookconfigurations", "", "", false},
		{"list", "", "configmaps", "kube-system", "", false},
		{"create", "", "events", "default", "", false},
		{"list", "events.k8s.io", "events", "", "", false},
	}
	for _, one := range rights {
		allowed, err := may(t.Context(), client, one)
		if err != nil {
			t.Fatal(err)
		}
		if allowed != one.allowed {
			t.Errorf("%s %s/%s in %q, name %q: allowed is %v", one.verb, one.group, one.resource,
				one.space, one.name, allowed)
		}
	}
}

func may(ctx context.Context, client kubernetes.Interface, asked right) (bool, error) {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   "system:serviceaccount:" + Space + ":" + Account,
		Groups: []string{"system:serviceaccounts", "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Verb: asked.verb, Group: asked.group, Resource: asked.resource,
			Namespace: asked.space, Name: asked.name,
		},
	}}
	answer, err := client.AuthorizationV1().SubjectAccessReviews().
		Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, err
	}
	return answer.Status.Allowed, nil
}

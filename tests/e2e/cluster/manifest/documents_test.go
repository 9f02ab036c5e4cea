// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/fabricbind/tests/e2e/cluster/rig"
)

// one is One for tests.
func one[T interface {
	metav1.Object
	comparable
}](t *testing.T) T {
	t.Helper()
	var zero T
	for _, object := range all(t) {
		if typed, is := object.(T); is {
			if zero != *new(T) {
				t.Fatalf("two objects of type %T", typed)
			}
			zero = typed
		}
	}
	if zero == *new(T) {
		t.Fatalf("no object of type %T", zero)
	}
	return zero
}

func all(t *testing.T) []metav1.Object {
	t.Helper()
	documents, err := Install()
	if err != nil {
		t.Fatal(err)
	}
	var objects []metav1.Object
	for _, document := range documents {
		object, err := Strict(document)
		if err != nil {
			t.Fatalf("%v in\n%s", err, document)
		}
		objects = append(objects, object.(metav1.Object))
	}
	return objects
}

// Every document is of a type of the API, without an unknown field, and no two are the same object.
func TestInstallDecodesStrictly(t *testing.T) {
	seen := map[string]bool{}
	for _, object := range all(t) {
		kind := fmt.Sprintf("%T", object)
		key := kind + " " + object.GetNamespace() + "/" + object.GetName()
		if seen[key] {
			t.Errorf("%s stands there twice", key)
		}
		seen[key] = true
		if object.GetLabels()["app.kubernetes.io/name"] != "fabricbind" {
			t.Errorf("%s has no label app.kubernetes.io/name", key)
		}
	}
	if len(seen) != 13 {
		t.Errorf("%d objects, 13 are known here: %v", len(seen), seen)
	}
}

// What is not of the API is refused: else the test above could not fail.
func TestStrictRefusesUnknownFields(t *testing.T) {
	const unknown = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nwhat: 1\n"
	if _, err := Strict([]byte(unknown)); err == nil {
		t.Error("an unknown field was taken")
	}
	const twice = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a, name: b}\n"
	if _, err := Strict([]byte(twice)); err == nil {
		t.Error("a field that is given twice was taken")
	}
}

// Services, NetworkPolicy, budget and anti-affinity select the pods of the Deployment, and the
// ports that they name are the container's.
func TestInstallHangsTogether(t *testing.T) {
	template := one[*appsv1.Deployment](t).Spec.Template
	pods := labels.Set(template.Labels)
	ports := map[string]bool{}
	for _, port := range template.Spec.Containers[0].Ports {
		ports[port.Name] = true
	}
	selects := func(what string, selector *metav1.LabelSelector) {
		made, err := metav1.LabelSelectorAsSelector(selector)
		if err != nil || made.Empty() || !made.Matches(pods) {
			t.Errorf("%s does not select the Deployment's pods (%v)", what, err)
		}
	}
	services := 0
	for _, object := range all(t) {
		service, is := object.(*corev1.Service)
		if !is {
			continue
		}
		services++
		selects(service.Name, &metav1.LabelSelector{MatchLabels: service.Spec.Selector})
		for _, port := range service.Spec.Ports {
			if !ports[port.TargetPort.StrVal] {
				t.Errorf("%s: no container's port is named %q", service.Name, port.TargetPort.StrVal)
			}
		}
	}
	if services != 3 {
		t.Errorf("%d Services, not 3", services)
	}
	policy := one[*networkingv1.NetworkPolicy](t)
	selects("NetworkPolicy", &policy.Spec.PodSelector)
	for _, rule := range policy.Spec.Ingress {
		for _, port := range rule.Ports {
			if !ports[port.Port.StrVal] {
				t.Errorf("NetworkPolicy: no container's port is named %q", port.Port.StrVal)
			}
			if port.Port.StrVal != "admission" && len(rule.From) == 0 {
				t.Errorf("NetworkPolicy: port %s is open to everyone", port.Port.StrVal)
			}
		}
	}
	selects("PodDisruptionBudget", one[*policyv1.PodDisruptionBudget](t).Spec.Selector)
	apart := template.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	selects("anti-affinity", apart[0].PodAffinityTerm.LabelSelector)
}

// Roles are bound to the service account that the Deployment runs as.
func TestInstallBindsItsRoles(t *testing.T) {
	account := one[*corev1.ServiceAccount](t)
	if account.Name != Account || account.Namespace != Space {
		t.Errorf("the account is %s/%s", account.Namespace, account.Name)
	}
	if got := one[*appsv1.Deployment](t).Spec.Template.Spec.ServiceAccountName; got != Account {
		t.Errorf("the Deployment runs as %q", got)
	}
	want := rbacv1.Subject{Kind: "ServiceAccount", Name: Account, Namespace: Space}
	wide, narrow := one[*rbacv1.ClusterRoleBinding](t), one[*rbacv1.RoleBinding](t)
	for _, subjects := range [][]rbacv1.Subject{wide.Subjects, narrow.Subjects} {
		if len(subjects) != 1 || subjects[0] != want {
			t.Errorf("bound to %v", subjects)
		}
	}
	if wide.RoleRef.Name != one[*rbacv1.ClusterRole](t).Name ||
		narrow.RoleRef.Name != one[*rbacv1.Role](t).Name {
		t.Error("a binding names a role that is not there")
	}
}

// No rule has a wildcard, and no verb goes beyond what the program is known to do.
func TestInstallRightsHaveNoWildcard(t *testing.T) {
	known := map[string]bool{
		"get": true, "list": true, "watch": true, "create": true, "patch": true, "update": true,
	}
	rules := append(one[*rbacv1.ClusterRole](t).Rules, one[*rbacv1.Role](t).Rules...)
	for _, rule := range rules {
		for _, name := range append(append([]string{}, rule.Resources...), rule.APIGroups...) {
			if strings.Contains(name, "*") {
				t.Errorf("a wildcard: %v", rule)
			}
		}
		for _, verb := range rule.Verbs {
			if !known[verb] {
				t.Errorf("the verb %q: %v", verb, rule)
			}
		}
	}
}

// The program reads the configuration that is shipped, and finds nothing wrong in it.
func TestInstallConfigurationIsRead(t *testing.T) {
	program := os.Getenv("FB_BIN")
	if program == "" {
		t.Skip("needs FB_BIN, the path of the program")
	}
	root, err := rig.Repository()
	if err != nil {
		t.Fatal(err)
	}
	text, has := one[*corev1.ConfigMap](t).Data[Config]
	if !has {
		t.Fatalf("the ConfigMap has no %s", Config)
	}
	arguments := one[*appsv1.Deployment](t).Spec.Template.Spec.Containers[0].Args
	if got := arguments[len(arguments)-1]; filepath.Base(got) != Config {
		t.Errorf("the Deployment reads %s", got)
	}
	file := filepath.Join(t.TempDir(), Config)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	output, err := exec.Command(program, "check", "--config", file, "--snapshot",
		filepath.Join(root, "deploy", "examples", "cluster")).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}

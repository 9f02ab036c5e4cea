// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
	"example.com/fabricbind/tests/e2e/cluster/manifest"
)

// The webhooks are registered as they are meant to fail, and are repaired when somebody changes
// them.
func TestRegistrationIsRepaired(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	w.serve(auto)
	hooks := w.admin.AdmissionregistrationV1().MutatingWebhookConfigurations()
	ours, err := hooks.Get(t.Context(), manifest.Webhook, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	failing := map[string]admissionregistrationv1.FailurePolicyType{
		"pods-annotated": admissionregistrationv1.Fail, "pods-gangs": admissionregistrationv1.Ignore,
		"bindings": admissionregistrationv1.Ignore, "jobs": admissionregistrationv1.Ignore,
		"bindings-strict": admissionregistrationv1.Fail,
	}
	for _, hook := range ours.Webhooks {
		name, _, _ := strings.Cut(hook.Name, ".")
		if want, known := failing[name]; !known || *hook.FailurePolicy != want {
			t.Errorf("%s: failurePolicy %s", hook.Name, *hook.FailurePolicy)
		}
		if *hook.TimeoutSeconds > 3 {
			t.Errorf("%s: %d s", hook.Name, *hook.TimeoutSeconds)
		}
		delete(failing, name)
	}
	if len(failing) > 0 {
		t.Errorf("not registered: %v", failing)
	}

	spoilt := ours.DeepCopy()
	spoilt.Webhooks = spoilt.Webhooks[:1]
	spoilt.Webhooks[0].ClientConfig.CABundle = []byte("")
	if _, err := hooks.Update(t.Context(), spoilt, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	awaitFor(t, "repair", func() error {
		now, err := hooks.Get(t.Context(), manifest.Webhook, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(now.Webhooks) != len(ours.Webhooks) ||
			len(now.Webhooks[0].ClientConfig.CABundle) == 0 {
			return fmt.Errorf("it has %d webhooks", len(now.Webhooks))
		}
		return nil
	})
	w.awaitWebhooks()
}

// Who submits a job that can never fit is told so at once; the job is taken.
func TestJobWarnsWhoSubmits(t *testing.T) {
	w := newWorld(t, nodesOf(t, "aws", "p5.48xlarge")...)
	w.serve(auto)
	kept := &warnings{}
	config := w.cluster.Admin()
	config.WarningHandler = kept
	fits := &fixture.Gang{Name: "fits", Space: w.space, Pods: 4}
	if err := fits.CreateAs(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	if kept.said() != "" {
		t.Errorf("a job that fits: %s", kept.said())
	}
	huge := &fixture.Gang{Name: "huge", Space: w.space, Pods: 64}
	if err := huge.CreateAs(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"64 pods", "32 vpc.amazonaws.com/efa", "8"} {
		if !strings.Contains(kept.said(), want) {
			t.Errorf("%q is not in what is said: %s", want, kept.said())
		}
	}
}

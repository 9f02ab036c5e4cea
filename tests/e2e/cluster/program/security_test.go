// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// warnings keeps what the API server says to a client, as kubectl would print it.
type warnings struct {
	lock  sync.Mutex
	texts []string
}

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) said() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return strings.Join(w.texts, "\n")
}

// warned is a client of the administrator that keeps warnings.
func (w *world) warned() (kubernetes.Interface, *warnings) {
	kept := &warnings{}
	config := w.cluster.Admin()
	config.WarningHandler = kept
	return w.clientset(config), kept
}

// secure is what the level restricted asks of a pod.
func secure(pod *corev1.Pod) *corev1.Pod {
	yes, no := true, false
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot:   &yes,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	return pod
}

// Namespaces with a Pod Security level admit pods of gangs; what the level forbids is left out, and
// that is said in the pod and to who submits.
func TestPodSecurityLevels(t *testing.T) {
	for _, cloud := range providers {
		t.Run(cloud.name, func(t *testing.T) {
			nodes := nodesOf(t, cloud.name, cloud.shape)
			w := newWorld(t, nodes...)
			w.serve(auto)
			client, kept := w.warned()
			for _, level := range []string{"baseline", "restricted"} {
				gang := w.gang(&fixture.Gang{Name: level, Pods: 2, Space: w.namespace(level)})
				made, err := client.CoreV1().Pods(gang.Space).
					Create(t.Context(), secure(gang.Pod(0)), metav1.CreateOptions{})
				if err != nil {
					t.Errorf("%s: %v", level, err)
					continue
				}
				checkInjected(t, made, cloud.nics)
				bound := w.bindAndWatch(made, nodes[0].Name)
				checkBound(t, bound, nodes[0].Name, cloud.shape)
				if made.Annotations["fabricbind.io/degraded"] == "" {
					continue // this cloud needs nothing that the level forbids
				}
				if !strings.Contains(bound.Annotations[profileKey], `"degraded":[`) {
					t.Errorf("%s: the profile does not say it: %s", level, bound.Annotations[profileKey])
				}
				if !strings.Contains(kept.said(), "Pod Security level "+level+" forbids it") {
					t.Errorf("%s: no warning tells of it:\n%s", level, kept.said())
				}
			}
		})
	}
}

// The program works with its own rights; these are checked in package manifest. Here: it does not
// ask for anything that it may not do.
func TestNothingIsForbidden(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	w := newWorld(t, nodes...)
	d := w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "rights", Pods: 2})
	w.bindAndWatch(w.mustCreate(gang.Pod(0)), nodes[0].Name)
	if got := d.metric("apiserver_requests_total", `code="403"`); got > 0 {
		t.Errorf("%g requests were for what it may not do", got)
	}
	if got := d.metric("apiserver_requests_total", `code="200"`); got == 0 {
		t.Error("nothing was asked for: this test is broken")
	}
	// And its account cannot do what tests do as administrators.
	token, err := w.cluster.Token(context.Background(), "fabricbind", "fabricbind", 3600)
	if err != nil {
		t.Fatal(err)
	}
	account := w.clientset(w.cluster.As(token))
	if err := account.CoreV1().Pods(w.space).Delete(t.Context(), gang.Pod(0).Name,
		metav1.DeleteOptions{}); err == nil {
		t.Error("it may delete pods")
	}
}

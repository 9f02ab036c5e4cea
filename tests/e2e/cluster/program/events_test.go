// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// events are those of a reason about an object.
func (w *world) events(kind, name, reason string) []eventsv1.Event {
	w.t.Helper()
	all, err := w.admin.EventsV1().Events("").List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	var found []eventsv1.Event
	for _, event := range all.Items {
		if event.Regarding.Kind == kind && event.Regarding.Name == name && event.Reason == reason {
			found = append(found, event)
		}
	}
	return found
}

func (w *world) awaitEvent(kind, name, reason string) eventsv1.Event {
	w.t.Helper()
	awaitFor(w.t, reason+" of "+name, func() error {
		if len(w.events(kind, name, reason)) == 0 {
			return fmt.Errorf("there is no such Event")
		}
		return nil
	})
	return w.events(kind, name, reason)[0]
}

// A node with fewer NICs than its shape, a gang that no fabric could ever hold, and pods of a gang
// that were created while nobody looked, are each told of once.
func TestEvents(t *testing.T) {
	nodes := nodesOf(t, "aws", "p5.48xlarge")
	few := nodes[0]
	few.Status.Allocatable["vpc.amazonaws.com/efa"] = resource.MustParse("31")
	w := newWorld(t, nodes...)
	missed := w.gang(&fixture.Gang{Name: "missed", Pods: 2})
	w.mustCreate(missed.Pod(0)) // no webhook is there yet
	d := w.serve(auto)
	huge := w.gang(&fixture.Gang{Name: "huge", Pods: 64})
	w.mustCreate(huge.Pod(0))

	w.awaitEvent("Node", few.Name, "MissingNICs")
	w.awaitEvent("Job", "huge", "GangTooLarge")
	event := w.awaitEvent("Job", "missed", "NotInjected")
	if event.Regarding.Namespace != w.space || event.Type != corev1.EventTypeWarning {
		t.Errorf("%+v", event)
	}
	if got := d.metric("uninjected_pods"); got != 1 {
		t.Errorf("uninjected_pods is %g", got)
	}
	// What goes on is told of again in the same Event, if at all.
	w.mustCreate(huge.Pod(1))
	w.awaitInventory(d, "pod")
	if got := w.events("Job", "huge", "GangTooLarge"); len(got) != 1 {
		t.Errorf("%d Events tell of one gang", len(got))
	}
}

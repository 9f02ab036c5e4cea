// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// The API server is gone for half a minute, and meanwhile nodes and pods come and go that its
// watchers are not told of: the watch cache that comes back is too new for them (410). Decisions go
// on, and the inventory is right again without a restart.
func TestOutageOfTheAPIServer(t *testing.T) {
	model := nodesOf(t, "aws", "p5.48xlarge")[0]
	w := ownWorld(t, fixture.Copies(model, "old", 6)...)
	d := w.serve(auto)
	gang := w.gang(&fixture.Gang{Name: "lasting", Pods: 4})
	made := w.createAll(gang)
	w.awaitInventory(d, "pod")
	if err := w.cluster.StopServer(); err != nil {
		t.Fatal(err)
	}
	if err := w.cluster.Elsewhere(func(admin *rest.Config) error {
		return changeUnseen(t.Context(), admin, made[0], fixture.Copies(model, "new", 3))
	}); err != nil {
		t.Fatal(err)
	}
	answer := d.review("/admission/pods", podReview(gang.Pod(1)))
	if answer.code != 200 || !answer.allowed || answer.patch == "" {
		t.Errorf("without an API server a pod is answered: %+v", answer)
	}
	awaitFor(t, "half a minute", func() error {
		if age := d.metric("inventory_age_seconds"); age < 30 {
			return fmt.Errorf("the inventory is %g s old", age)
		}
		return nil
	})
	before := d.metric("watch_restarts_total")
	if err := w.cluster.StartServer(); err != nil {
		t.Fatal(err)
	}
	w.awaitInventory(d, "node")
	w.awaitInventory(d, "pod")
	if after := d.metric("watch_restarts_total"); after <= before {
		t.Errorf("watch_restarts_total was %g and is %g", before, after)
	}
	w.awaitWebhooks()
	checkBound(t, w.bindAndWatch(made[1], "new-0000"), "new-0000", "p5.48xlarge")
	d.awaitReady()
}

func changeUnseen(ctx context.Context, admin *rest.Config, pod *corev1.Pod, come []*corev1.Node) error {
	client, err := kubernetes.NewForConfig(admin)
	if err != nil {
		return err
	}
	now := int64(0)
	at := metav1.DeleteOptions{GracePeriodSeconds: &now}
	faults := []error{
		client.CoreV1().Nodes().Delete(ctx, "old-0000", at),
		client.CoreV1().Nodes().Delete(ctx, "old-0001", at),
		client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, at),
	}
	for _, node := range come {
		_, err := client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{})
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

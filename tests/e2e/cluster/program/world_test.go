// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
	"example.com/fabricbind/tests/e2e/cluster/manifest"
	"example.com/fabricbind/tests/e2e/cluster/rig"
)

// The marks that injection leaves, and what is bound.
const (
	managedKey = "fabricbind.io/managed"
	fabricKey  = "fabricbind.io/fabric"
	profileKey = "fabricbind.io/profile"
	confKey    = "fabricbind.io/nccl.conf"
	topoKey    = "fabricbind.io/nccl-topo.xml"
)

// world is a cluster, the part of it that belongs to one test, and the address of the webhooks.
type world struct {
	t       *testing.T
	cluster *rig.Cluster
	admin   kubernetes.Interface
	objects dynamic.Interface
	space   string // a namespace of its own
	service *service
	running []*daemon // replicas that are asked
	gangs   int       // made to try again
}

var spaces atomic.Int64

// newWorld gives a test the shared cluster with these nodes and no others. What a test leaves is
// taken away when it ends.
func newWorld(t *testing.T, nodes ...*corev1.Node) *world {
	t.Helper()
	if lacking != "" {
		t.Skip(lacking)
	}
	w := worldOn(t, shared)
	t.Cleanup(w.clean)
	w.addNodes(nodes...)
	return w
}

// ownWorld gives a test a cluster of its own.
func ownWorld(t *testing.T, nodes ...*corev1.Node) *world {
	t.Helper()
	if lacking != "" {
		t.Skip(lacking)
	}
	c, remove, err := rig.Temporary()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := remove(t.Failed()); err != nil {
			t.Error(err)
		}
	})
	if err := prepare(c); err != nil {
		t.Fatal(err)
	}
	w := worldOn(t, c)
	w.addNodes(nodes...)
	return w
}

func worldOn(t *testing.T, c *rig.Cluster) *world {
	t.Helper()
	w := &world{t: t, cluster: c, service: newService(t)}
	w.connect()
	w.space = w.namespace("")
	return w
}

// connect makes the test's clients, anew when the administrator is another.
func (w *world) connect() {
	w.t.Helper()
	w.admin = w.clientset(w.cluster.Admin())
	objects, err := dynamic.NewForConfig(w.cluster.Admin())
	if err != nil {
		w.t.Fatal(err)
	}
	w.objects = objects
}

func (w *world) clientset(config *rest.Config) kubernetes.Interface {
	w.t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		w.t.Fatal(err)
	}
	return client
}

// namespace makes one with a Pod Security level, "" for none, and returns its name.
func (w *world) namespace(level string) string {
	w.t.Helper()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("e2e-%d", spaces.Add(1)), Labels: map[string]string{},
	}}
	if level != "" {
		space.Labels["pod-security.kubernetes.io/enforce"] = level
	}
	ctx := w.t.Context()
	if _, err := w.admin.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		w.t.Fatal(err)
	}
	if err := addAccount(ctx, w.admin, space.Name); err != nil {
		w.t.Fatal(err)
	}
	return space.Name
}

func (w *world) addNodes(nodes ...*corev1.Node) {
	w.t.Helper()
	for _, node := range nodes {
		_, err := w.admin.CoreV1().Nodes().Create(w.t.Context(), node, metav1.CreateOptions{})
		if err != nil {
			w.t.Fatal(err)
		}
	}
}

// clean takes away what would be seen by the next test. Namespaces stay: no controller empties
// them, and no two tests share one.
func (w *world) clean() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	now := int64(0)
	at := metav1.DeleteOptions{GracePeriodSeconds: &now}
	hooks := w.admin.AdmissionregistrationV1().MutatingWebhookConfigurations()
	faults := []error{
		ignoreAbsent(hooks.Delete(ctx, manifest.Webhook, at)),
		ignoreAbsent(w.admin.CoreV1().Secrets(manifest.Space).Delete(ctx, manifest.Secret, at)),
		w.admin.CoreV1().Nodes().DeleteCollection(ctx, at, metav1.ListOptions{}),
	}
	all, err := w.admin.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	faults = append(faults, err)
	for _, space := range all.Items {
		faults = append(faults,
			w.admin.CoreV1().Pods(space.Name).DeleteCollection(ctx, at, metav1.ListOptions{}),
			w.objects.Resource(fixture.Jobs).Namespace(space.Name).
				DeleteCollection(ctx, at, metav1.ListOptions{}),
			w.objects.Resource(fixture.PodGroups).Namespace(space.Name).
				DeleteCollection(ctx, at, metav1.ListOptions{}))
	}
	if err := errors.Join(faults...); err != nil {
		w.t.Errorf("cleaning: %v", err)
	}
}

func ignoreAbsent(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// serve starts one replica, and waits until the API server sends it what it is to see.
func (w *world) serve(settings string) *daemon {
	w.t.Helper()
	return w.serveReplicas(1, settings)[0]
}

func (w *world) serveReplicas(count int, settings string) []*daemon {
	w.t.Helper()
	replicas := make([]*daemon, count)
	for i := range replicas {
		replicas[i] = newDaemon(w.t, w.cluster, w.service, settings)
		replicas[i].launch() // all at once: they race for the Secret
	}
	for _, replica := range replicas {
		replica.awaitPorts().awaitReady()
	}
	w.use(replicas...)
	w.awaitWebhooks()
	return replicas
}

// use has these replicas asked, and no others.
func (w *world) use(replicas ...*daemon) {
	w.running = replicas
	w.service.set(replicas...)
}

// awaitWebhooks waits until a pod that asks for the network is seen by them. The API server takes
// up a new configuration within a second or so.
func (w *world) awaitWebhooks() {
	w.t.Helper()
	awaitFor(w.t, "webhooks", func() error {
		probe := fixture.Gang{Name: "probe", Space: w.space, Pods: 1}
		pod := probe.Pod(0)
		pod.OwnerReferences = nil
		pod.Annotations = map[string]string{fixture.Networking: "true"}
		made, err := w.create(pod, true)
		if err == nil && !managed(made) {
			return errors.New("a pod was not seen by them")
		}
		// It is denied where there is no node for it: then they are asked as well.
		if err != nil && !strings.Contains(err.Error(), "denied the request") {
			return err
		}
		return nil
	})
}

// gang makes a gang in the test's namespace, without its pods, and waits until the replicas know it.
func (w *world) gang(g *fixture.Gang) *fixture.Gang {
	w.t.Helper()
	if g.Space == "" {
		g.Space = w.space
	}
	if err := g.Create(w.t.Context(), w.objects); err != nil {
		w.t.Fatal(err)
	}
	for _, replica := range w.running {
		for _, kind := range []string{"namespace", "job", "podgroup"} {
			w.awaitInventory(replica, kind)
		}
	}
	return g
}

// awaitInventory waits until a replica knows as many objects of a kind as the cluster has.
func (w *world) awaitInventory(d *daemon, kind string) {
	w.t.Helper()
	awaitFor(w.t, "inventory of kind "+kind, func() error {
		want := w.count(kind)
		if got := d.metric("inventory_objects", `kind="`+kind+`"`); got != float64(want) {
			return fmt.Errorf("%g of %d are known", got, want)
		}
		return nil
	})
}

func (w *world) count(kind string) int {
	w.t.Helper()
	kinds := map[string]schema.GroupVersionResource{
		"node":      corev1.SchemeGroupVersion.WithResource("nodes"),
		"pod":       corev1.SchemeGroupVersion.WithResource("pods"),
		"namespace": corev1.SchemeGroupVersion.WithResource("namespaces"),
		"job":       fixture.Jobs,
		"podgroup":  fixture.PodGroups,
	}
	list, err := w.objects.Resource(kinds[kind]).List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return len(list.Items)
}

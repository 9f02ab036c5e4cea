// SPDX-License-Identifier: Apache-2.0

package program

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// plainPod is one that has nothing to do with GPUs.
func plainPod(space, name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: space},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "registry.example.com/app:1"}},
		},
	}
}

func (w *world) create(pod *corev1.Pod, dryRun bool) (*corev1.Pod, error) {
	options := metav1.CreateOptions{}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return w.admin.CoreV1().Pods(pod.Namespace).Create(w.t.Context(), pod, options)
}

func (w *world) mustCreate(pod *corev1.Pod) *corev1.Pod {
	w.t.Helper()
	made, err := w.create(pod, false)
	if err != nil {
		w.t.Fatalf("%s%s: %v", pod.Name, pod.GenerateName, err)
	}
	return made
}

func (w *world) pod(made *corev1.Pod) *corev1.Pod {
	w.t.Helper()
	pod, err := w.admin.CoreV1().Pods(made.Namespace).
		Get(w.t.Context(), made.Name, metav1.GetOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return pod
}

// binding is what Volcano posts: it takes the pod's annotations along.
func binding(pod *corev1.Pod, node string) *corev1.Binding {
	return &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{
			Name: pod.Name, Namespace: pod.Namespace, UID: pod.UID, Annotations: pod.Annotations,
		},
		Target: corev1.ObjectReference{Kind: "Node", Name: node},
	}
}

func (w *world) bind(ctx context.Context, pod *corev1.Pod, node string, dryRun bool) error {
	options := metav1.CreateOptions{}
	if dryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	return w.admin.CoreV1().Pods(pod.Namespace).Bind(ctx, binding(pod, node), options)
}

// bindAndWatch binds a pod and returns what the first event told that has it on a node. No event
// before may tell of a profile.
func (w *world) bindAndWatch(made *corev1.Pod, node string) *corev1.Pod {
	w.t.Helper()
	pods := w.admin.CoreV1().Pods(made.Namespace)
	which := metav1.ListOptions{FieldSelector: "metadata.name=" + made.Name}
	list, err := pods.List(w.t.Context(), which)
	if err != nil {
		w.t.Fatal(err)
	}
	which.ResourceVersion = list.ResourceVersion
	watcher, err := pods.Watch(w.t.Context(), which)
	if err != nil {
		w.t.Fatal(err)
	}
	defer watcher.Stop()
	if err := w.bind(w.t.Context(), made, node, false); err != nil {
		w.t.Fatal(err)
	}
	return firstBound(w.t, watcher)
}

func firstBound(t *testing.T, watcher watch.Interface) *corev1.Pod {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case event := <-watcher.ResultChan():
			pod, is := event.Object.(*corev1.Pod)
			if !is {
				t.Fatalf("an event of %T", event.Object)
			}
			if pod.Spec.NodeName != "" {
				return pod
			}
			if pod.Annotations[profileKey] != "" {
				t.Error("a profile is told of before the node is")
			}
		case <-deadline:
			t.Fatal("no event tells of the bound pod")
		}
	}
}

// beKubelet sends the status update that a kubelet sends when a pod runs. The API server looks at
// all of the pod again, its annotations too.
func (w *world) beKubelet(bound *corev1.Pod) error {
	pod := w.pod(bound).DeepCopy()
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = append(pod.Status.Conditions,
		corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	_, err := w.admin.CoreV1().Pods(pod.Namespace).
		UpdateStatus(w.t.Context(), pod, metav1.UpdateOptions{})
	return err
}

func managed(pod *corev1.Pod) bool {
	return pod.Labels[managedKey] == "true" && pod.Annotations[managedKey] == "true"
}

// requested is what the first container asks for, and is held to.
func requested(pod *corev1.Pod, resource string) (int64, error) {
	have := pod.Spec.Containers[0].Resources
	wanted, limit := have.Requests[corev1.ResourceName(resource)], have.Limits[corev1.ResourceName(resource)]
	if wanted.Cmp(limit) != 0 {
		return 0, fmt.Errorf("%s: requests %s, limit %s", resource, wanted.String(), limit.String())
	}
	return wanted.Value(), nil
}

// variable is the value of an environment variable of the first container.
func variable(pod *corev1.Pod, name string) string {
	for _, one := range pod.Spec.Containers[0].Env {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

// mounted is the volume that stands at a path of the first container.
func mounted(pod *corev1.Pod, path string) *corev1.Volume {
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		for i := range pod.Spec.Volumes {
			if mount.MountPath == path && pod.Spec.Volumes[i].Name == mount.Name {
				return &pod.Spec.Volumes[i]
			}
		}
	}
	return nil
}

// annotate changes a pod's annotations, as its user may at any time.
func (w *world) annotate(made *corev1.Pod, annotations map[string]string) *corev1.Pod {
	w.t.Helper()
	pod := w.pod(made).DeepCopy()
	maps.Copy(pod.Annotations, annotations)
	pod, err := w.admin.CoreV1().Pods(pod.Namespace).Update(w.t.Context(), pod, metav1.UpdateOptions{})
	if err != nil {
		w.t.Fatal(err)
	}
	return pod
}

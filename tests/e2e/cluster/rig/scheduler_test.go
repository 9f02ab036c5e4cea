// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kube-scheduler, as built, puts a pod on the only node.
func TestSchedulerBinds(t *testing.T) {
	c := temporary(t)
	admin := clientOf(t, c.Admin())
	amounts := corev1.ResourceList{"cpu": resource.MustParse("4"), "memory": resource.MustParse("8Gi"),
		"pods": resource.MustParse("10")}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "node"},
		Status: corev1.NodeStatus{Capacity: amounts, Allocatable: amounts,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/app:1"}}}}
	core, none := admin.CoreV1(), metav1.CreateOptions{}
	if _, err := core.Nodes().Create(t.Context(), node, none); err != nil {
		t.Fatal(err)
	}
	if _, err := core.ServiceAccounts("default").Create(t.Context(), account, none); err != nil {
		t.Fatal(err)
	}
	if _, err := core.Pods("default").Create(t.Context(), pod, none); err != nil {
		t.Fatal(err)
	}
	stop, err := c.StartScheduler()
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for {
		now, err := core.Pods("default").Get(t.Context(), "pod", metav1.GetOptions{})
		if err == nil && now.Spec.NodeName == "node" {
			break
		}
		if time.Now().After(deadline) {
			t.Errorf("it is not bound: %v %+v", err, now.Status)
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

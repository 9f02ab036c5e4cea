// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Job is a Volcano Job with its PodGroup, as the API server has them. Its pods are in the
// cluster.
type Job struct {
	Namespace        string
	Name             string
	UID              string
	PodGroup         string
	PodGroupUID      string
	Queue            string
	Priority         int32
	MinAvailable     int32
	TaskMinAvailable map[string]int32
	Object           map[string]any // the batch.volcano.sh/v1alpha1 Job
}

// ID is how the scheduler names the job.
func (j *Job) ID() string {
	return j.Namespace + "/" + j.PodGroup
}

// PodGroupObject is the PodGroup that Volcano's controller makes for the job.
func (j *Job) PodGroupObject() map[string]any {
	return map[string]any{
		"apiVersion": "scheduling.volcano.sh/v1beta1",
		"kind":       "PodGroup",
		"metadata": map[string]any{
			"name":      j.PodGroup,
			"namespace": j.Namespace,
			"uid":       j.PodGroupUID,
			"ownerReferences": []map[string]any{{
				"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": j.Name,
				"uid": j.UID, "controller": true, "blockOwnerDeletion": true,
			}},
		},
		"spec": map[string]any{
			"minMember":     j.MinAvailable,
			"minTaskMember": j.TaskMinAvailable,
			"queue":         j.Queue,
			"minResources":  map[string]any{"pods": json.Number("1")},
		},
		"status": map[string]any{"phase": "Inqueue"},
	}
}

// Cluster is what the API server holds. Sessions begin from it, and what they commit ends in it.
type Cluster struct {
	Nodes []*NodeObject
	Pods  []*corev1.Pod
	Jobs  []*Job

	status map[string]TaskStatus // by UID of the pod; Pending where there is none
	node   map[string]string     // by UID; a pod's own nodeName may say what never came to be
}

// AddNode takes over a node that does not change any more.
func (c *Cluster) AddNode(node *corev1.Node) {
	text, err := json.Marshal(node)
	if err != nil {
		panic(err)
	}
	c.Nodes = append(c.Nodes, &NodeObject{Node: node, text: text})
}

// Run puts a pod onto a node, where it runs.
func (c *Cluster) Run(pod *corev1.Pod, node string) {
	pod.Spec.NodeName = node
	pod.Status.Phase = corev1.PodRunning
	c.place(string(pod.UID), node, Running)
}

func (c *Cluster) place(uid, node string, status TaskStatus) {
	if c.status == nil {
		c.status = map[string]TaskStatus{}
		c.node = map[string]string{}
	}
	c.status[uid] = status
	c.node[uid] = node
}

// StartBound lets what was bound run.
func (c *Cluster) StartBound() {
	for _, pod := range c.Pods {
		if c.status[string(pod.UID)] == Bound {
			c.Run(pod, c.node[string(pod.UID)])
		}
	}
}

// EndReleasing removes the pods that were evicted, and says how many.
func (c *Cluster) EndReleasing() int {
	return c.remove(func(pod *corev1.Pod) bool { return c.status[string(pod.UID)] == Releasing })
}

// End removes the pods of a job that is done.
func (c *Cluster) End(job *Job) {
	c.remove(func(pod *corev1.Pod) bool { return pod.Annotations[GroupAnnotation] == job.PodGroup })
}

func (c *Cluster) remove(goes func(*corev1.Pod) bool) int {
	var kept []*corev1.Pod
	for _, pod := range c.Pods {
		if goes(pod) {
			delete(c.status, string(pod.UID))
			delete(c.node, string(pod.UID))
		} else {
			kept = append(kept, pod)
		}
	}
	gone := len(c.Pods) - len(kept)
	c.Pods = kept
	return gone
}

// Placed is where the pods of a job are bound or run, by name of pod.
func (c *Cluster) Placed(job *Job) map[string]string {
	placed := map[string]string{}
	for _, pod := range c.Pods {
		uid := string(pod.UID)
		if pod.Annotations[GroupAnnotation] == job.PodGroup && c.status[uid]&(Bound|Running) != 0 {
			placed[pod.Name] = c.node[uid]
		}
	}
	return placed
}

// NodeOf is where a pod is bound or runs, also while it is going; "" where it is not placed.
func (c *Cluster) NodeOf(pod *corev1.Pod) string {
	return c.node[string(pod.UID)]
}

// Object finds a node.
func (c *Cluster) Object(name string) *corev1.Node {
	for _, node := range c.Nodes {
		if node.Name == name {
			return node.Node
		}
	}
	return nil
}

// evict marks a pod as one that is going; it stays on its node until EndReleasing.
func (c *Cluster) evict(task *TaskInfo) {
	now := metav1.Now()
	task.Pod.DeletionTimestamp = &now
	c.place(task.UID, task.NodeName, Releasing)
}

// bind is what the scheduler's bindings lead to.
func (c *Cluster) bind(task *TaskInfo) {
	c.place(task.UID, task.NodeName, Bound)
}

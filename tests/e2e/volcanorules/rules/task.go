// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// TaskStatus is one bit, as in pkg/scheduler/api/types.go.
type TaskStatus int

// The statuses that this package comes across.
const (
	Pending   TaskStatus = 1 << iota // 1
	Allocated                        // 2
	Pipelined                        // 4: gets its place once others are gone
	Binding                          // 8
	Bound                            // 16
	Running                          // 32
	Releasing                        // 64: evicted, still there
)

// occupies says whether a task of this status counts as ready in its job: not Pipelined, and no
// longer once it is Releasing.
func (s TaskStatus) occupies() bool {
	return s&(Allocated|Binding|Bound|Running) != 0
}

// Annotation and label keys of Volcano's controller.
const (
	GroupAnnotation = "scheduling.k8s.io/group-name"
	RoleAnnotation  = "volcano.sh/task-spec"
)

// Transaction is what a statement changes in a task. Its fields stand flat in a TaskInfo.
type Transaction struct {
	NodeName              string
	EvictionOccurred      bool
	JobAllocatedHyperNode string
	Status                TaskStatus
}

// TaskInfo is a pod as the scheduler keeps and sends it: field by field in Volcano's order, so
// that encoding/json makes the bodies that Volcano makes.
type TaskInfo struct {
	UID                    string
	Job                    string
	Name                   string
	Namespace              string
	TaskRole               string
	Resreq                 *Resource
	InitResreq             *Resource
	DRAResreq              map[string]*Resource
	ResourceClaimKeys      []string
	ResourceClaimDRAResreq map[string]*Resource
	Transaction
	LastTransaction               *Transaction
	Priority                      int32
	VolumeReady                   bool
	Preemptable                   bool
	BestEffort                    bool
	HasRestartableInitContainer   bool
	SchGated                      bool
	RevocableZone                 string
	NumaInfo                      NumaInfo
	Pod                           *corev1.Pod
	PodAnnotations                map[string]string
	CustomBindErrHandlerSucceeded bool
}

// NumaInfo is sent with every task; nothing here fills it.
type NumaInfo struct {
	Policy string
	ResMap map[string]string
}

// newTask reads a pod as pkg/scheduler/api/job_info.go does. The pod itself is shared, not
// copied: what an action writes into it is there in the next session, too.
func newTask(pod *corev1.Pod) *TaskInfo {
	t := &TaskInfo{
		UID:            string(pod.UID),
		Name:           pod.Name,
		Namespace:      pod.Namespace,
		TaskRole:       pod.Annotations[RoleAnnotation],
		Preemptable:    true,
		NumaInfo:       NumaInfo{ResMap: map[string]string{}},
		Pod:            pod,
		PodAnnotations: maps.Clone(pod.Annotations),
	}
	if group := pod.Annotations[GroupAnnotation]; group != "" {
		t.Job = pod.Namespace + "/" + group
	}
	if pod.Spec.Priority != nil {
		t.Priority = *pod.Spec.Priority
	}
	t.Resreq = request(pod)
	t.InitResreq = t.Resreq.Clone()
	for i := range pod.Spec.InitContainers {
		t.InitResreq.SetMax(NewResource(pod.Spec.InitContainers[i].Resources.Requests))
	}
	t.Status = Pending
	return t
}

// request sums up what containers ask for; a pod is one of "pods".
func request(pod *corev1.Pod) *Resource {
	sum := &Resource{ScalarResources: map[corev1.ResourceName]float64{corev1.ResourcePods: 1}}
	for i := range pod.Spec.Containers {
		sum.Add(NewResource(pod.Spec.Containers[i].Resources.Requests))
	}
	return sum
}

// Clone copies the task but not its pod, and not all of the transaction: as Volcano does.
func (t *TaskInfo) Clone() *TaskInfo {
	clone := *t
	clone.Resreq = t.Resreq.Clone()
	clone.InitResreq = t.InitResreq.Clone()
	clone.PodAnnotations = maps.Clone(t.PodAnnotations)
	clone.Transaction = Transaction{NodeName: t.NodeName, Status: t.Status}
	return &clone
}

// key names a task among those of a node: not by UID.
func (t *TaskInfo) key() string {
	return t.Namespace + "/" + t.Name
}

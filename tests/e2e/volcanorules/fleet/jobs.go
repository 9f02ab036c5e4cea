// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// Gang is a Volcano Job of whole nodes: one leader, the others workers.
type Gang struct {
	Name     string
	Pods     int
	GPUs     int64 // of every pod; 0: 8
	NICs     int64 // that every pod requests; 0: none, the program knows what it needs
	Queue    string
	Priority int32
	Single   bool // pods that stand alone: not annotated, minAvailable 1
}

const namespace = "default"

// Submit puts the job, its PodGroup and its pods into the cluster, as Volcano's controller does.
func Submit(cluster *rules.Cluster, gang Gang) *rules.Job {
	if gang.GPUs == 0 {
		gang.GPUs = 8
	}
	if gang.Queue == "" {
		gang.Queue = "default"
	}
	uid := string(UID("job", gang.Name))
	job := &rules.Job{
		Namespace:    namespace,
		Name:         gang.Name,
		UID:          uid,
		PodGroup:     gang.Name + "-" + uid,
		PodGroupUID:  string(UID("podgroup", gang.Name)),
		Queue:        gang.Queue,
		Priority:     gang.Priority,
		MinAvailable: int32(gang.Pods),
	}
	if gang.Single {
		job.MinAvailable = 1
	}
	var tasks []map[string]any
	job.TaskMinAvailable = map[string]int32{}
	for _, role := range gang.roles() {
		job.TaskMinAvailable[role.name] = int32(role.replicas)
		tasks = append(tasks, map[string]any{
			"name": role.name, "replicas": role.replicas,
			"template": corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Annotations: gang.annotations()},
				Spec:       gang.podSpec(),
			},
		})
		for i := range role.replicas {
			cluster.Pods = append(cluster.Pods, gang.pod(job, role.name, i))
		}
	}
	job.Object = map[string]any{
		"apiVersion": "batch.volcano.sh/v1alpha1",
		"kind":       "Job",
		"metadata":   map[string]any{"name": job.Name, "namespace": namespace, "uid": uid},
		"spec": map[string]any{
			"minAvailable": job.MinAvailable, "queue": job.Queue, "schedulerName": "volcano",
			"tasks": tasks,
		},
	}
	cluster.Jobs = append(cluster.Jobs, job)
	return job
}

type role struct {
	name     string
	replicas int
}

func (g Gang) roles() []role {
	if g.Pods == 1 || g.Single {
		return []role{{"worker", g.Pods}}
	}
	return []role{{"leader", 1}, {"worker", g.Pods - 1}}
}

func (g Gang) annotations() map[string]string {
	if g.Single {
		return nil
	}
	return map[string]string{
		"nhx.nvidia.com/enable-multi-node-networking": "true",
		"nhx.nvidia.com/num-nodes":                    strconv.Itoa(g.Pods),
	}
}

func (g Gang) podSpec() corev1.PodSpec {
	amounts := corev1.ResourceList{
		corev1.ResourceMemory: resource.MustParse("900Gi"),
		GPU:                   *resource.NewQuantity(g.GPUs, resource.DecimalSI),
	}
	if g.NICs > 0 {
		amounts[EFA] = *resource.NewQuantity(g.NICs, resource.DecimalSI)
	}
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		SchedulerName: "volcano",
		Priority:      &g.Priority,
		Containers: []corev1.Container{{
			Name:      "trainer",
			Image:     "registry.example.com/trainer:v1",
			Command:   []string{"torchrun", "--a=1 & b < c > d"},
			Resources: corev1.ResourceRequirements{Requests: amounts, Limits: amounts},
		}},
	}
}

func (g Gang) pod(job *rules.Job, role string, index int) *corev1.Pod {
	name := fmt.Sprintf("%s-%s-%d", job.Name, role, index)
	truth := true
	annotations := map[string]string{
		rules.GroupAnnotation:     job.PodGroup,
		rules.RoleAnnotation:      role,
		"volcano.sh/job-name":     job.Name,
		"volcano.sh/job-version":  "0",
		"volcano.sh/queue-name":   job.Queue,
		"volcano.sh/task-index":   strconv.Itoa(index),
		"volcano.sh/template-uid": job.Name + "-" + role,
	}
	for key, value := range g.annotations() {
		annotations[key] = value
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Namespace:   namespace,
			UID:         UID("pod", name),
			Annotations: annotations,
			Labels: map[string]string{
				"volcano.sh/job-name":  job.Name,
				"volcano.sh/task-spec": role,
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "batch.volcano.sh/v1alpha1", Kind: "Job", Name: job.Name,
				UID: UID("job", job.Name), Controller: &truth, BlockOwnerDeletion: &truth,
			}},
		},
		Spec:   g.podSpec(),
		Status: corev1.PodStatus{Phase: corev1.PodPending},
	}
}

// PodsOf lists the pods of a job in the order they were made.
func PodsOf(cluster *rules.Cluster, job *rules.Job) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range cluster.Pods {
		if pod.Annotations[rules.GroupAnnotation] == job.PodGroup {
			pods = append(pods, pod)
		}
	}
	return pods
}

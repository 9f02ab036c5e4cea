// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// NodeInfo is a node as the scheduler keeps and sends it, in Volcano's order of fields.
type NodeInfo struct {
	Name                     string
	Node                     *NodeObject
	State                    NodeState
	Releasing                *Resource
	Pipelined                *Resource
	Idle                     *Resource
	Used                     *Resource
	Allocatable              *Resource
	Capacity                 *Resource
	ResourceUsage            ResourceUsage
	Tasks                    map[string]*TaskInfo
	NumaInfo                 *NumaInfo
	UnassignedNumaPods       map[string]string
	NumaSchedulerInfo        *NumaInfo
	RevocableZone            string
	Others                   map[string]any
	OversubscriptionNode     bool
	OfflineJobEvicting       bool
	OversubscriptionResource *Resource
	ImageStates              map[string]ImageState
	Generation               int64
	BindGeneration           int64
}

// NodeState has phase 1 for a node that is ready; others are not in a session.
type NodeState struct {
	Phase  int
	Reason string
}

// ResourceUsage is what metrics say; there are none here.
type ResourceUsage struct {
	MetricsTime string
	CPUUsageAvg map[string]float64
	MEMUsageAvg map[string]float64
}

// ImageState is one image that a node has.
type ImageState struct {
	Size     int64
	NumNodes int
	Nodes    []string
}

// NodeObject is a core/v1 Node that nobody changes, so that its text is made once only.
type NodeObject struct {
	*corev1.Node
	text []byte
}

// MarshalJSON hands out the text.
func (o *NodeObject) MarshalJSON() ([]byte, error) {
	if o.text == nil {
		return json.Marshal(o.Node)
	}
	return o.text, nil
}

func newNode(object *NodeObject) *NodeInfo {
	return &NodeInfo{
		Name:          object.Name,
		Node:          object,
		State:         NodeState{Phase: 1},
		Releasing:     &Resource{},
		Pipelined:     &Resource{},
		Idle:          NewResource(object.Status.Allocatable),
		Used:          &Resource{},
		Allocatable:   NewResource(object.Status.Allocatable),
		Capacity:      NewResource(object.Status.Capacity),
		ResourceUsage: ResourceUsage{MetricsTime: "0001-01-01T00:00:00Z", CPUUsageAvg: map[string]float64{}, MEMUsageAvg: map[string]float64{}},
		Tasks:         map[string]*TaskInfo{},
		Others:        map[string]any{},
		ImageStates: map[string]ImageState{
			"registry.example.com/trainer:v1": {Size: 8 << 30, NumNodes: 1},
		},
		OversubscriptionResource: &Resource{},
	}
}

// FutureIdle is what will be free once what is being released is gone and what waits for it has
// come. It may be below 0.
func (n *NodeInfo) FutureIdle() *Resource {
	return n.Idle.Clone().Add(n.Releasing).Sub(n.Pipelined)
}

// AddTask puts a copy of the task on the node's books: a pipelined task takes nothing from Idle,
// a releasing one is in Used and in Releasing.
func (n *NodeInfo) AddTask(task *TaskInfo) error {
	if task.NodeName != "" && task.NodeName != n.Name {
		return fmt.Errorf("task %s is on node %s", task.key(), task.NodeName)
	}
	if _, found := n.Tasks[task.key()]; found {
		return fmt.Errorf("task %s is on node %s already", task.key(), n.Name)
	}
	held := task.Clone()
	if held.Status == Pipelined {
		n.Pipelined.Add(held.Resreq)
	} else {
		n.Idle.Sub(held.Resreq)
		n.Used.Add(held.Resreq)
		if held.Status == Releasing {
			n.Releasing.Add(held.Resreq)
		}
	}
	task.NodeName = n.Name
	held.NodeName = n.Name
	n.Tasks[task.key()] = held
	return nil
}

// RemoveTask undoes AddTask, by the status that the node's own copy has.
func (n *NodeInfo) RemoveTask(task *TaskInfo) {
	held, found := n.Tasks[task.key()]
	if !found {
		return
	}
	if held.Status == Pipelined {
		n.Pipelined.Sub(held.Resreq)
	} else {
		n.Idle.Add(held.Resreq)
		n.Used.Sub(held.Resreq)
		if held.Status == Releasing {
			n.Releasing.Sub(held.Resreq)
		}
	}
	delete(n.Tasks, task.key())
}

// UpdateTask puts the task's new status on the books.
func (n *NodeInfo) UpdateTask(task *TaskInfo) error {
	n.RemoveTask(task)
	return n.AddTask(task)
}

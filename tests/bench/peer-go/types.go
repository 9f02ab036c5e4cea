// SPDX-License-Identifier: Apache-2.0

package main

import (
	v1 "k8s.io/api/core/v1"
)

// What Volcano's scheduler sends, by the names of its JSON.

// Resource counts in thousandths, memory in bytes.
type Resource struct {
	MilliCPU        float64
	Memory          float64
	ScalarResources map[v1.ResourceName]float64
	MaxTaskNum      int
}

// TaskInfo is a pod in the scheduler's books.
type TaskInfo struct {
	UID                         string
	Job                         string
	Name                        string
	Namespace                   string
	TaskRole                    string
	Resreq                      Resource
	InitResreq                  Resource
	NodeName                    string
	EvictionOccurred            bool
	JobAllocatedHyperNode       string
	Status                      int
	Priority                    int32
	VolumeReady                 bool
	Preemptable                 bool
	BestEffort                  bool
	HasRestartableInitContainer bool
	SchGated                    bool
	RevocableZone               string
	Pod                         *v1.Pod
	PodAnnotations              map[string]string
}

// NodeState tells whether a node is ready.
type NodeState struct {
	Phase  int
	Reason string
}

// ImageState is an image that nodes have.
type ImageState struct {
	Size     int64
	NumNodes int
}

// NodeInfo is a node in the scheduler's books.
type NodeInfo struct {
	Name          string
	Node          *v1.Node
	State         NodeState
	Releasing     Resource
	Pipelined     Resource
	Idle          Resource
	Used          Resource
	Allocatable   Resource
	Capacity      Resource
	Tasks         map[string]*TaskInfo
	RevocableZone string
	ImageStates   map[string]*ImageState
	Generation    int64
}

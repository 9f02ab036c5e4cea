// SPDX-License-Identifier: Apache-2.0

package rules

// The bodies of pkg/scheduler/plugins/extender/argument.go.

// PredicateRequest asks whether a task may go to a node.
type PredicateRequest struct {
	Task *TaskInfo `json:"task"`
	Node *NodeInfo `json:"node"`
}

// PredicateAnswer is read by Volcano 1.10 and later: a text that is empty when the node passes,
// and a whole number.
type PredicateAnswer struct {
	Status string `json:"status"`
	Code   int    `json:"code"`
}

// ArrayAnswer is read by Volcano 1.8 and 1.9; one entry for each thing that speaks against it.
type ArrayAnswer struct {
	Status []ArrayStatus `json:"status"`
}

// ArrayStatus has no tags in Volcano.
type ArrayStatus struct {
	Code   int
	Reason string
}

// TextAnswer is read up to Volcano 1.7: no code, any text refuses.
type TextAnswer struct {
	ErrorMessage string `json:"errorMessage"`
}

// PrioritizeRequest asks for scores of all candidates at once.
type PrioritizeRequest struct {
	Task  *TaskInfo   `json:"task"`
	Nodes []*NodeInfo `json:"nodes"`
}

// PrioritizeAnswer has a score for every node that it wants to speak about.
type PrioritizeAnswer struct {
	NodeScore    map[string]float64 `json:"nodeScore"`
	ErrorMessage string             `json:"errorMessage"`
}

// EvictRequest is that of preemptable and reclaimable.
type EvictRequest struct {
	Evictor  *TaskInfo   `json:"evictor"`
	Evictees []*TaskInfo `json:"evictees"`
}

// EvictAnswer votes, and names victims as whole tasks of which only the UID counts.
type EvictAnswer struct {
	Status  int         `json:"status"`
	Victims []*TaskInfo `json:"victims"`
}

// JobRequest is that of jobEnqueueable, jobEnqueued and jobReady.
type JobRequest struct {
	Job *JobInfo `json:"job"`
}

// VoteAnswer is that of jobEnqueueable.
type VoteAnswer struct {
	Status int `json:"status"`
}

// ReadyAnswer is that of jobReady: a missing status is false.
type ReadyAnswer struct {
	Status bool `json:"status"`
}

// EmptyAnswer is that of jobEnqueued: any object will do.
type EmptyAnswer struct{}

// QueueRequest is that of queueOverused.
type QueueRequest struct {
	Queue *QueueInfo `json:"queue"`
}

// OverusedAnswer answers it.
type OverusedAnswer struct {
	Overused bool `json:"overused"`
}

// EventRequest is that of allocateFunc and deallocateFunc.
type EventRequest struct {
	Task *TaskInfo `json:"task"`
}

// EventAnswer may object.
type EventAnswer struct {
	ErrorMessage string `json:"errorMessage"`
}

// SessionRequest is that of onSessionOpen: the whole graph, untagged. NodeList is never filled.
type SessionRequest struct {
	Jobs           map[string]*JobInfo
	Nodes          map[string]*NodeInfo
	Queues         map[string]*QueueInfo
	NamespaceInfo  map[string]any
	RevocableNodes map[string]*NodeInfo
	NodeList       []string
}

// CloseRequest is that of onSessionClose.
type CloseRequest struct{}

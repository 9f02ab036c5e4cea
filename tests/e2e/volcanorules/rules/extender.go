// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
)

// Votes of the plugins on victims and jobs.
const (
	Permit  = 1
	Abstain = 0
	Reject  = -1
)

// Dialect is how an answer to predicate is read.
type Dialect int

// The three that there were.
const (
	Code  Dialect = iota // 1.10 and later
	Array                // 1.8 and 1.9
	Text                 // up to 1.7
)

// Verbs are the last parts of the paths, as an administrator configures them; one that is empty
// is not called.
type Verbs struct {
	SessionOpen, SessionClose             string
	Predicate, Prioritize                 string
	Preemptable, Reclaimable              string
	QueueOverused                         string
	JobEnqueueable, JobEnqueued, JobReady string
	Allocate, Deallocate                  string
}

// Extender is the plugin of that name. There is one in a scheduler.
type Extender struct {
	*Client
	Verbs     Verbs
	Dialect   Dialect
	Ignorable bool     // what could not be asked passes
	Managed   []string // resources; a pod with none of them is not asked about. Empty: all are
}

// Interested: some container, or init container, requests or limits a managed resource.
func (e *Extender) Interested(task *TaskInfo) bool {
	if len(e.Managed) == 0 {
		return true
	}
	for _, list := range [][]corev1.Container{task.Pod.Spec.Containers, task.Pod.Spec.InitContainers} {
		for i := range list {
			for _, name := range e.Managed {
				_, requested := list[i].Resources.Requests[corev1.ResourceName(name)]
				_, limited := list[i].Resources.Limits[corev1.ResourceName(name)]
				if requested || limited {
					return true
				}
			}
		}
	}
	return false
}

// Predicate is nil when the node passes.
func (e *Extender) Predicate(task *TaskInfo, node *NodeInfo) *FitError {
	if e.Verbs.Predicate == "" || !e.Interested(task) {
		return nil
	}
	code, reason, err := e.askPredicate(&PredicateRequest{Task: task, Node: node})
	if err != nil {
		if e.Ignorable {
			return nil
		}
		return &FitError{Node: node.Name, Code: Error, Reason: err.Error()}
	}
	if reason == "" {
		return nil
	}
	if code == Success { // an extender from before there were codes
		code = Error
	}
	return &FitError{Node: node.Name, Code: code, Reason: reason}
}

func (e *Extender) askPredicate(ask *PredicateRequest) (int, string, error) {
	switch e.Dialect {
	case Array:
		answer := &ArrayAnswer{}
		err := e.Send(e.Verbs.Predicate, ask, answer)
		for _, status := range answer.Status {
			if status.Code != Success {
				return status.Code, status.Reason, err
			}
		}
		return Success, "", err
	case Text:
		answer := &TextAnswer{}
		err := e.Send(e.Verbs.Predicate, ask, answer)
		return Error, answer.ErrorMessage, err
	default:
		answer := &PredicateAnswer{}
		err := e.Send(e.Verbs.Predicate, ask, answer)
		return answer.Code, answer.Status, err
	}
}

// Prioritize hands out raw scores: they are added to those of other plugins as they are. No map
// is an error even where the extender may be ignored; only a failed call is then nothing.
func (e *Extender) Prioritize(task *TaskInfo, nodes []*NodeInfo) (map[string]float64, error) {
	if e.Verbs.Prioritize == "" || !e.Interested(task) {
		return map[string]float64{}, nil
	}
	answer := &PrioritizeAnswer{}
	err := e.Send(e.Verbs.Prioritize, &PrioritizeRequest{Task: task, Nodes: nodes}, answer)
	if err != nil {
		if e.Ignorable {
			return nil, nil
		}
		return nil, err
	}
	if answer.ErrorMessage == "" && answer.NodeScore != nil {
		return answer.NodeScore, nil
	}
	return nil, errors.New(answer.ErrorMessage)
}

// Evictable asks preemptable or reclaimable. A failed call is a vote with no victims either way,
// and that vetoes its tier.
func (e *Extender) Evictable(verb string, evictor *TaskInfo, evictees []*TaskInfo) ([]*TaskInfo, int) {
	if verb == "" || !e.Interested(evictor) {
		return nil, Abstain
	}
	answer := &EvictAnswer{}
	if err := e.Send(verb, &EvictRequest{Evictor: evictor, Evictees: evictees}, answer); err != nil {
		if e.Ignorable {
			return nil, Permit
		}
		return nil, Reject
	}
	return answer.Victims, answer.Status
}

// Event tells of a placement or its end; the error is what Volcano puts into the event. An
// objection counts even where the extender may be ignored.
func (e *Extender) Event(verb string, task *TaskInfo) error {
	if verb == "" || !e.Interested(task) {
		return nil
	}
	answer := &EventAnswer{}
	err := e.Send(verb, &EventRequest{Task: task}, answer)
	if answer.ErrorMessage != "" {
		return errors.New(answer.ErrorMessage)
	}
	if e.Ignorable {
		return nil
	}
	return err
}

// JobEnqueueable is one vote among the tiers.
func (e *Extender) JobEnqueueable(job *JobInfo) int {
	if e.Verbs.JobEnqueueable == "" {
		return Abstain
	}
	answer := &VoteAnswer{}
	if err := e.Send(e.Verbs.JobEnqueueable, &JobRequest{Job: job}, answer); err != nil {
		if e.Ignorable {
			return Permit
		}
		return Reject
	}
	return answer.Status
}

// JobEnqueued tells; failures are logged there and nothing else.
func (e *Extender) JobEnqueued(job *JobInfo) error {
	if e.Verbs.JobEnqueued == "" {
		return nil
	}
	return e.Send(e.Verbs.JobEnqueued, &JobRequest{Job: job}, &EmptyAnswer{})
}

// JobReady has to agree before a job counts as ready.
func (e *Extender) JobReady(job *JobInfo) bool {
	if e.Verbs.JobReady == "" {
		return true
	}
	answer := &ReadyAnswer{}
	if err := e.Send(e.Verbs.JobReady, &JobRequest{Job: job}, answer); err != nil {
		return e.Ignorable
	}
	return answer.Status
}

// QueueOverused blocks the queue when true.
func (e *Extender) QueueOverused(queue *QueueInfo) bool {
	if e.Verbs.QueueOverused == "" {
		return false
	}
	answer := &OverusedAnswer{}
	if err := e.Send(e.Verbs.QueueOverused, &QueueRequest{Queue: queue}, answer); err != nil {
		return !e.Ignorable
	}
	return answer.Overused
}

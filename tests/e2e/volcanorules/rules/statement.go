// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"errors"
	"fmt"
)

type operation int

const (
	evict operation = iota
	pipeline
	allocate
)

type step struct {
	operation operation
	task      *TaskInfo
}

// Statement is a row of steps that are in the session's books, and told to event handlers, at
// once; whether they come to be is decided later, or never.
type Statement struct {
	ssn   *Session
	steps []step
}

// NewStatement begins one.
func (ssn *Session) NewStatement() *Statement {
	return &Statement{ssn: ssn}
}

// Evict frees nothing by itself: the task is Releasing (64) and told as deallocated while it
// still runs.
func (s *Statement) Evict(task *TaskInfo) {
	s.ssn.setStatus(task, Releasing)
	if node := s.ssn.Nodes[task.NodeName]; node != nil {
		_ = node.UpdateTask(task)
	}
	_ = s.ssn.tell(s.ssn.Extender.Verbs.Deallocate, task)
	s.steps = append(s.steps, step{evict, task})
}

// unevict tells of an allocation with status Running (32).
func (s *Statement) unevict(task *TaskInfo) {
	s.ssn.setStatus(task, Running)
	if node := s.ssn.Nodes[task.NodeName]; node != nil {
		_ = node.UpdateTask(task)
	}
	_ = s.ssn.tell(s.ssn.Extender.Verbs.Allocate, task)
}

// Pipeline gives a task the place of others that are going: told as an allocation, status 4.
func (s *Statement) Pipeline(task *TaskInfo, node *NodeInfo, evictions bool) error {
	task.EvictionOccurred = evictions
	return s.put(pipeline, task, node, Pipelined)
}

// Allocate gives a task a free place: status 2. The name of the node goes into the pod, too, and
// nothing takes it out again.
func (s *Statement) Allocate(task *TaskInfo, node *NodeInfo) error {
	task.Pod.Spec.NodeName = node.Name
	return s.put(allocate, task, node, Allocated)
}

// put rolls back when the books or a handler object, and then the handlers hear of the end, too,
// also the one that objected.
func (s *Statement) put(what operation, task *TaskInfo, node *NodeInfo, status TaskStatus) error {
	s.ssn.setStatus(task, status)
	err := node.AddTask(task)
	task.NodeName = node.Name
	err = errors.Join(err, s.ssn.tell(s.ssn.Extender.Verbs.Allocate, task))
	if err != nil {
		s.takeBack(task)
		return fmt.Errorf("task %s on node %s: %w", task.key(), node.Name, err)
	}
	s.steps = append(s.steps, step{what, task})
	return nil
}

// takeBack undoes Allocate and Pipeline. The handlers are told before the task loses its node's
// name, with status Pending (1).
func (s *Statement) takeBack(task *TaskInfo) {
	s.ssn.setStatus(task, Pending)
	if node := s.ssn.Nodes[task.NodeName]; node != nil {
		node.RemoveTask(task)
	}
	_ = s.ssn.tell(s.ssn.Extender.Verbs.Deallocate, task)
	task.NodeName = ""
	task.JobAllocatedHyperNode = ""
}

// Discard undoes the steps, the last one first.
func (s *Statement) Discard() {
	for i := len(s.steps) - 1; i >= 0; i-- {
		task := s.steps[i].task
		last := task.Transaction
		task.LastTransaction = &last
		if s.steps[i].operation == evict {
			s.unevict(task)
		} else {
			s.takeBack(task)
		}
	}
	s.steps = nil
}

// Commit makes the steps come to be: evictions and bindings go out, no event does, and what is
// only pipelined stays in this session's books.
func (s *Statement) Commit() {
	for _, one := range s.steps {
		one.task.LastTransaction = nil
		switch one.operation {
		case evict:
			s.ssn.cluster.evict(one.task)
			s.ssn.Evicted = append(s.ssn.Evicted, one.task)
		case allocate:
			s.ssn.cluster.bind(one.task)
			s.ssn.setStatus(one.task, Binding)
		case pipeline:
		}
	}
	s.steps = nil
}

// Merge takes over the steps of another.
func (s *Statement) Merge(other *Statement) {
	s.steps = append(s.steps, other.steps...)
	other.steps = nil
}

// Saved copies the steps, so that they can be done again after a Discard: this is how every
// candidate HyperNode is tried first and the best one is taken in the end.
func (s *Statement) Saved() *Statement {
	saved := &Statement{ssn: s.ssn}
	for _, one := range s.steps {
		saved.steps = append(saved.steps, step{one.operation, one.task.Clone()})
	}
	return saved
}

// Recover does saved steps again, with the copies of the tasks.
func (s *Statement) Recover(saved *Statement) error {
	for _, one := range saved.steps {
		node := s.ssn.Nodes[one.task.NodeName]
		var err error
		switch one.operation {
		case evict:
			s.Evict(one.task)
		case pipeline:
			err = s.Pipeline(one.task, node, one.task.EvictionOccurred)
		case allocate:
			err = s.Allocate(one.task, node)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (ssn *Session) setStatus(task *TaskInfo, status TaskStatus) {
	if job := ssn.Jobs[task.Job]; job != nil {
		job.UpdateTaskStatus(task, status)
	} else {
		task.Status = status
	}
}

// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"sync"
	"sync/atomic"
)

// What vc-scheduler's options are by default, and the part that shrinks as clusters grow.
const (
	minNodesToFind      = 100
	minPercentageToFind = 5
	basePercentage      = 50
	searchWorkers       = 16
)

// NodesToFind is after how many feasible nodes a search among all nodes ends.
func NodesToFind(all, percentage int) int {
	if all <= minNodesToFind || percentage >= 100 {
		return all
	}
	if percentage <= 0 {
		percentage = max(basePercentage-all/125, minPercentageToFind)
	}
	return max(all*percentage/100, minNodesToFind)
}

// Search is a predicate helper: it lives as long as one statement of allocate, or one preempt
// action, and remembers refusals by job, role and node.
type Search struct {
	ssn    *Session
	errors map[string]FitErrors
}

// NewSearch begins with nothing remembered.
func (ssn *Session) NewSearch() *Search {
	return &Search{ssn: ssn, errors: map[string]FitErrors{}}
}

// Nodes looks for nodes that the test lets pass, 16 at a time, from where the search before ended,
// until it has enough. Refusals that are remembered cost no call.
func (h *Search) Nodes(task *TaskInfo, nodes []*NodeInfo,
	test func(*TaskInfo, *NodeInfo) *FitError) ([]*NodeInfo, FitErrors) {
	if len(nodes) == 0 {
		return nil, FitErrors{}
	}
	remembered, cached := h.remembered(task)
	want := NodesToFind(len(nodes), h.ssn.PercentageOfNodesToFind)
	refused := FitErrors{}
	var found []*NodeInfo
	var lock sync.Mutex
	var next, processed atomic.Int64
	var enough atomic.Bool

	look := func(node *NodeInfo) {
		lock.Lock()
		err := remembered[node.Name]
		lock.Unlock()
		if err == nil || !cached {
			err = test(task, node)
		}
		lock.Lock()
		defer lock.Unlock()
		switch {
		case err != nil:
			remembered[node.Name] = err
			refused[node.Name] = err
		case len(found) < want:
			found = append(found, node)
		default:
			enough.Store(true) // noticed one node late, as Volcano does
		}
	}
	var workers sync.WaitGroup
	for range searchWorkers {
		workers.Go(func() {
			for !enough.Load() {
				i := int(next.Add(1)) - 1
				if i >= len(nodes) {
					return
				}
				processed.Add(1)
				look(nodes[(h.ssn.start+i)%len(nodes)])
			}
		})
	}
	workers.Wait()
	h.ssn.start = (h.ssn.start + int(processed.Load())) % len(nodes)
	return found, refused
}

// remembered: tasks without a role would all share one entry, so nothing is remembered for them.
func (h *Search) remembered(task *TaskInfo) (FitErrors, bool) {
	if task.TaskRole == "" || h.ssn.NoErrorCache {
		return FitErrors{}, false
	}
	group := task.Job + "/" + task.TaskRole
	if h.errors[group] == nil {
		h.errors[group] = FitErrors{}
	}
	return h.errors[group], true
}

// SPDX-License-Identifier: Apache-2.0

package rules

import "sort"

// Preempt is the action of that name, between jobs of one queue: members of starving jobs take the
// places of tasks with a lower priority. Evictions come to be only when the whole job has places.
func (ssn *Session) Preempt() {
	search := ssn.NewSearch()
	for _, job := range ssn.JobList {
		if job.IsPipelined() {
			continue
		}
		statement := ssn.NewStatement()
		for _, task := range job.pending() {
			if job.IsPipelined() {
				break
			}
			ssn.preemptFor(statement, search, job, task)
		}
		settle(statement, job)
	}
}

// Reclaim takes places from jobs of other queues. It asks for no scores: the first node that does
// is taken.
func (ssn *Session) Reclaim() {
	for _, job := range ssn.JobList {
		if job.IsPipelined() || ssn.Extender.QueueOverused(ssn.Queues[job.Queue]) {
			continue
		}
		statement := ssn.NewStatement()
		for _, task := range job.pending() {
			if job.IsPipelined() {
				break
			}
			ssn.reclaimFor(statement, job, task)
		}
		settle(statement, job)
	}
}

func settle(statement *Statement, job *JobInfo) {
	if job.IsPipelined() {
		statement.Commit()
	} else {
		statement.Discard()
	}
}

func (ssn *Session) preemptFor(statement *Statement, search *Search, job *JobInfo, task *TaskInfo) {
	nodes, _ := search.Nodes(task, ssn.resolvable(job, task), ssn.fitsForEviction)
	for _, node := range ordered(ssn.prioritize(task, nodes)) {
		victims := ssn.victims(ssn.Extender.Verbs.Preemptable, task, node, func(one *TaskInfo) bool {
			other := ssn.Jobs[one.Job]
			return other != nil && other.Queue == job.Queue && one.Job != task.Job &&
				one.Priority < task.Priority
		})
		if ssn.takePlace(statement, task, node, victims) {
			return
		}
	}
}

func (ssn *Session) reclaimFor(statement *Statement, job *JobInfo, task *TaskInfo) {
	nodes, _ := ssn.NewSearch().Nodes(task, ssn.resolvable(job, task), ssn.fitsForEviction)
	for _, node := range nodes {
		victims := ssn.victims(ssn.Extender.Verbs.Reclaimable, task, node, func(one *TaskInfo) bool {
			other := ssn.Jobs[one.Job]
			return other != nil && other.Queue != job.Queue
		})
		if len(victims) > 0 && ssn.takePlace(statement, task, node, victims) {
			return
		}
	}
}

// resolvable leaves out the nodes that allocate found to be beyond help in this session.
func (ssn *Session) resolvable(job *JobInfo, task *TaskInfo) []*NodeInfo {
	refused := job.fitErrors[task.UID]
	if len(refused) == 0 {
		return ssn.NodeList
	}
	var nodes []*NodeInfo
	for _, node := range ssn.NodeList {
		if err := refused[node.Name]; err == nil || err.Code != UnschedulableAndUnresolvable {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// fitsForEviction compares no resources, and a node that is merely full stays a candidate.
func (ssn *Session) fitsForEviction(task *TaskInfo, node *NodeInfo) *FitError {
	if err := ssn.predicate(task, node); err.excludesInEviction() {
		return err
	}
	return nil
}

// victims are running tasks of the node that a plugin for priorities and the extender agree on: an
// extender that abstains has no say, one that votes for nobody vetoes.
func (ssn *Session) victims(verb string, task *TaskInfo, node *NodeInfo,
	eligible func(*TaskInfo) bool) []*TaskInfo {
	var evictees []*TaskInfo
	for _, one := range node.Tasks {
		if one.Status == Running && one.Preemptable && eligible(one) {
			evictees = append(evictees, one.Clone())
		}
	}
	sort.Slice(evictees, func(a, b int) bool {
		if evictees[a].Priority != evictees[b].Priority {
			return evictees[a].Priority < evictees[b].Priority
		}
		return evictees[a].Name < evictees[b].Name
	})
	agreed, vote := ssn.Extender.Evictable(verb, task, evictees)
	if vote == Abstain {
		return evictees
	}
	var both []*TaskInfo
	for _, one := range evictees {
		for _, other := range agreed {
			if one.UID == other.UID {
				both = append(both, one)
			}
		}
	}
	return both
}

// takePlace evicts until the task fits, and pipelines it. Where all victims together are not
// enough nothing is tried.
func (ssn *Session) takePlace(statement *Statement, task *TaskInfo, node *NodeInfo,
	victims []*TaskInfo) bool {
	future := node.FutureIdle()
	for _, victim := range victims {
		future.Add(victim.Resreq)
	}
	if !task.InitResreq.LessEqual(future) {
		return false
	}
	attempt := ssn.NewStatement()
	for _, victim := range victims {
		if ssn.fitsAfter(task, node) {
			break
		}
		attempt.Evict(victim)
	}
	if !ssn.fitsAfter(task, node) || attempt.Pipeline(task, node, len(attempt.steps) > 0) != nil {
		attempt.Discard()
		return false
	}
	statement.Merge(attempt)
	return true
}

func (ssn *Session) fitsAfter(task *TaskInfo, node *NodeInfo) bool {
	return task.InitResreq.LessEqual(node.FutureIdle()) &&
		(!ssn.Recheck || ssn.predicate(task, node) == nil)
}

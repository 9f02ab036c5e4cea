// SPDX-License-Identifier: Apache-2.0

package rules

// Allocate is the action of that name, for jobs without a hard network topology: job by job, and
// for every job as many statements as it takes.
func (ssn *Session) Allocate() {
	for _, job := range ssn.JobList {
		if queue := ssn.Queues[job.Queue]; queue == nil || ssn.Extender.QueueOverused(queue) {
			continue
		}
		for tasks := job.pending(); len(tasks) > 0; {
			var statement *Statement
			statement, tasks = ssn.allocateTasks(job, tasks)
			if statement == nil || !ssn.jobReady(job) {
				break // only pipelined: neither committed nor discarded
			}
			statement.Commit()
		}
	}
}

// AllocateDry does what a hard network topology leads to: the job is placed and discarded over and
// over, then the saved steps are done again and committed.
func (ssn *Session) AllocateDry(job *JobInfo, times int) error {
	var saved *Statement
	for range times {
		statement, _ := ssn.allocateTasks(job, job.pending())
		if statement == nil {
			return nil
		}
		saved = statement.Saved()
		statement.Discard()
	}
	final := ssn.NewStatement()
	if err := final.Recover(saved); err != nil {
		return err
	}
	if ssn.jobReady(job) {
		final.Commit()
	}
	return nil
}

// allocateTasks goes on until the job is ready, and hands back the tasks that are left then. What
// makes a job neither ready nor pipelined is discarded.
func (ssn *Session) allocateTasks(job *JobInfo, tasks []*TaskInfo) (*Statement, []*TaskInfo) {
	statement := ssn.NewStatement()
	search := ssn.NewSearch()
	for len(tasks) > 0 {
		task := tasks[0]
		tasks = tasks[1:]
		if job.hasFitErrors(task) {
			continue
		}
		nodes, refused := search.Nodes(task, ssn.NodeList, ssn.fitsForAllocate)
		if len(nodes) == 0 {
			job.fitErrors[task.UID] = refused
			if job.goesOn() {
				continue
			}
			break
		}
		node := ssn.choose(task, nodes)
		if node == nil {
			continue
		}
		ssn.allocateTask(statement, task, node)
		if ssn.jobReady(job) {
			break
		}
	}
	if !ssn.jobReady(job) && !job.IsPipelined() {
		statement.Discard()
		return nil, nil
	}
	return statement, tasks
}

// allocateTask takes what is free, else what will be.
func (ssn *Session) allocateTask(statement *Statement, task *TaskInfo, node *NodeInfo) {
	if task.InitResreq.LessEqual(node.Idle) {
		_ = statement.Allocate(task, node)
	} else if task.InitResreq.LessEqual(node.FutureIdle()) {
		_ = statement.Pipeline(task, node, false)
	}
}

// fitsForAllocate compares requests before any plugin is asked, and afterwards looks only at the
// codes: a refusal with another code passes.
func (ssn *Session) fitsForAllocate(task *TaskInfo, node *NodeInfo) *FitError {
	if !task.InitResreq.LessEqual(node.FutureIdle()) {
		return &FitError{Node: node.Name, Code: Unschedulable, Reason: "too few resources"}
	}
	if err := ssn.predicate(task, node); err.excludesInAllocate() {
		return err
	}
	return nil
}

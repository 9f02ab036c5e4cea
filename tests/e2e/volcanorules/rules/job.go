// SPDX-License-Identifier: Apache-2.0

package rules

import "sort"

// JobInfo is a PodGroup and its tasks, in Volcano's order of fields. Inside the scheduler every
// task stands in Tasks by UID, and once more in TaskStatusIndex by status.
type JobInfo struct {
	UID                    string
	PgUID                  string
	Name                   string
	Namespace              string
	Queue                  string
	Priority               int32
	MinAvailable           int32
	WaitingTime            *int64
	JobFitErrors           string
	NodesFitErrors         map[string]struct{}
	AllocatedHyperNode     string
	NetworkTopology        any
	SubJobs                map[string]any
	TaskToSubJob           map[string]string
	MinSubJobs             map[string]int32
	TaskStatusIndex        map[TaskStatus]map[string]*TaskInfo
	Tasks                  map[string]*TaskInfo
	TaskMinAvailable       map[string]int32
	TaskMinAvailableTotal  int32
	Allocated              *Resource
	TotalRequest           *Resource
	CreationTimestamp      string
	PodGroup               any
	ScheduleStartTimestamp *string
	Preemptable            bool
	RevocableZone          string
	Budget                 Budget

	fitErrors map[string]FitErrors // by task, from this session's allocate
}

// Budget bounds disruption; it is always sent.
type Budget struct {
	MinAvailable   string
	MaxUnavailable string
}

// QueueInfo is what queueOverused is asked about.
type QueueInfo struct {
	UID       string
	Name      string
	Weight    int32
	Weights   string
	Hierarchy string
	Queue     any
}

func newJob(job *Job) *JobInfo {
	return &JobInfo{
		UID:               job.ID(),
		PgUID:             job.PodGroupUID,
		Name:              job.PodGroup,
		Namespace:         job.Namespace,
		Queue:             job.Queue,
		Priority:          job.Priority,
		MinAvailable:      job.MinAvailable,
		NodesFitErrors:    map[string]struct{}{},
		SubJobs:           map[string]any{},
		TaskToSubJob:      map[string]string{},
		MinSubJobs:        map[string]int32{},
		TaskStatusIndex:   map[TaskStatus]map[string]*TaskInfo{},
		Tasks:             map[string]*TaskInfo{},
		TaskMinAvailable:  job.TaskMinAvailable,
		Allocated:         &Resource{},
		TotalRequest:      &Resource{},
		CreationTimestamp: "2026-01-01T00:00:00Z",
		PodGroup:          job.PodGroupObject(),
		fitErrors:         map[string]FitErrors{},
	}
}

func (j *JobInfo) add(task *TaskInfo) {
	j.Tasks[task.UID] = task
	j.index(task)
	j.TotalRequest.Add(task.Resreq)
}

func (j *JobInfo) index(task *TaskInfo) {
	if j.TaskStatusIndex[task.Status] == nil {
		j.TaskStatusIndex[task.Status] = map[string]*TaskInfo{}
	}
	j.TaskStatusIndex[task.Status][task.UID] = task
}

// UpdateTaskStatus moves the task. The object handed in becomes the one that the job knows.
func (j *JobInfo) UpdateTaskStatus(task *TaskInfo, status TaskStatus) {
	if old, found := j.Tasks[task.UID]; found {
		delete(j.TaskStatusIndex[old.Status], task.UID)
		if len(j.TaskStatusIndex[old.Status]) == 0 {
			delete(j.TaskStatusIndex, old.Status)
		}
	}
	task.Status = status
	j.Tasks[task.UID] = task
	j.index(task)
}

// pending lists the tasks without a place by name, which is the order that their index gives.
func (j *JobInfo) pending() []*TaskInfo {
	var tasks []*TaskInfo
	for _, task := range j.TaskStatusIndex[Pending] {
		tasks = append(tasks, task)
	}
	sort.Slice(tasks, func(a, b int) bool {
		return len(tasks[a].Name) < len(tasks[b].Name) ||
			len(tasks[a].Name) == len(tasks[b].Name) && tasks[a].Name < tasks[b].Name
	})
	return tasks
}

func (j *JobInfo) count(counts func(TaskStatus) bool) int32 {
	n := int32(0)
	for _, task := range j.Tasks {
		if counts(task.Status) {
			n++
		}
	}
	return n
}

// Ready: enough members have a place now.
func (j *JobInfo) Ready() bool {
	return j.count(TaskStatus.occupies) >= j.MinAvailable
}

// IsPipelined: enough members have a place, or will have one once others are gone.
func (j *JobInfo) IsPipelined() bool {
	return j.count(func(s TaskStatus) bool { return s.occupies() || s == Pipelined }) >= j.MinAvailable
}

// hasFitErrors: a task of the same role found no node in this session, so this one is not tried.
// Tasks without a role do not speak for one another.
func (j *JobInfo) hasFitErrors(task *TaskInfo) bool {
	if task.TaskRole == "" {
		return false
	}
	for uid := range j.fitErrors {
		if j.Tasks[uid].TaskRole == task.TaskRole {
			return true
		}
	}
	return false
}

// goesOn: whether to try other tasks after one found no node. A job that needs all of its tasks
// gives up at the first.
func (j *JobInfo) goesOn() bool {
	if int(j.MinAvailable) == len(j.Tasks) {
		return false
	}
	left := int32(0)
	for _, task := range j.TaskStatusIndex[Pending] {
		if !j.hasFitErrors(task) {
			left++
		}
	}
	return j.count(TaskStatus.occupies)+left >= j.MinAvailable
}

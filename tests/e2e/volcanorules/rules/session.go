// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math/rand"
)

// Scheduler is what lives longer than a session.
type Scheduler struct {
	Extender *Extender
	// Refuses stands for the plugins before the extender: the first that refuses ends the row, so
	// that the extender is not asked about that node.
	Refuses func(task *TaskInfo, node *NodeInfo) *FitError
	// RefusesLater stands for those behind it: the extender has passed what they refuse.
	RefusesLater func(task *TaskInfo, node *NodeInfo) *FitError
	// Scores stands for the other plugins that score; their sum is added to the extender's.
	Scores func(task *TaskInfo, node *NodeInfo) float64
	// PercentageOfNodesToFind as the option of vc-scheduler: 0 is adaptive, 100 looks at all.
	PercentageOfNodesToFind int
	// NoErrorCache switches off what predicateErrorCacheEnable does.
	NoErrorCache bool
	// Recheck asks the predicates again while a node's victims are chosen, which preempt does only
	// since 2026-08.
	Recheck bool
	Random  *rand.Rand

	start int // lastProcessedNodeIndex: where the next search begins
}

// Session is one turn of the scheduler, on a copy of the cluster.
type Session struct {
	*Scheduler
	cluster  *Cluster
	Nodes    map[string]*NodeInfo
	NodeList []*NodeInfo
	Jobs     map[string]*JobInfo
	JobList  []*JobInfo
	Queues   map[string]*QueueInfo
	Evicted  []*TaskInfo // committed in this session
	silent   bool        // the extender registered nothing
}

// Open begins a session. When onSessionOpen fails and may not be ignored, the plugin returns
// before it registers anything else, so that nothing is filtered or told in that session.
func (s *Scheduler) Open(cluster *Cluster) *Session {
	ssn := &Session{
		Scheduler: s,
		cluster:   cluster,
		Nodes:     map[string]*NodeInfo{},
		Jobs:      map[string]*JobInfo{},
		Queues:    map[string]*QueueInfo{},
	}
	for _, object := range cluster.Nodes {
		node := newNode(object)
		ssn.Nodes[node.Name] = node
		ssn.NodeList = append(ssn.NodeList, node)
	}
	for _, job := range cluster.Jobs {
		info := newJob(job)
		ssn.Jobs[info.UID] = info
		ssn.JobList = append(ssn.JobList, info)
		ssn.Queues[job.Queue] = &QueueInfo{UID: job.Queue, Name: job.Queue, Weight: 1}
	}
	ssn.addPods()
	if e := s.Extender; e.Verbs.SessionOpen != "" {
		err := e.Send(e.Verbs.SessionOpen, &SessionRequest{
			Jobs: ssn.Jobs, Nodes: ssn.Nodes, Queues: ssn.Queues,
			NamespaceInfo: map[string]any{}, RevocableNodes: map[string]*NodeInfo{},
		}, nil)
		ssn.silent = err != nil && !e.Ignorable
	}
	return ssn
}

func (ssn *Session) addPods() {
	for _, pod := range ssn.cluster.Pods {
		task := newTask(pod)
		if status, found := ssn.cluster.status[task.UID]; found {
			task.Status = status
			task.NodeName = ssn.cluster.node[task.UID]
			if node := ssn.Nodes[task.NodeName]; node != nil {
				_ = node.AddTask(task)
			}
		}
		if job := ssn.Jobs[task.Job]; job != nil {
			task.Priority = job.Priority
			job.add(task)
		}
	}
}

// Close ends it. Statements that were neither committed nor discarded leave without a word.
func (ssn *Session) Close() error {
	if e := ssn.Extender; e.Verbs.SessionClose != "" {
		return e.Send(e.Verbs.SessionClose, &CloseRequest{}, nil)
	}
	return nil
}

// predicate asks the plugins in order; the first that refuses decides.
func (ssn *Session) predicate(task *TaskInfo, node *NodeInfo) *FitError {
	if ssn.Refuses != nil {
		if err := ssn.Refuses(task, node); err != nil {
			return err
		}
	}
	if !ssn.silent {
		if err := ssn.Extender.Predicate(task, node); err != nil {
			return err
		}
	}
	if ssn.RefusesLater != nil {
		return ssn.RefusesLater(task, node)
	}
	return nil
}

// tell is the plugin's event handler.
func (ssn *Session) tell(verb string, task *TaskInfo) error {
	if ssn.silent {
		return nil
	}
	return ssn.Extender.Event(verb, task)
}

func (ssn *Session) jobReady(job *JobInfo) bool {
	return job.Ready() && (ssn.silent || ssn.Extender.JobReady(job))
}

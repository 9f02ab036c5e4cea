// SPDX-License-Identifier: Apache-2.0

package program

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// every verb that Volcano can be told to call.
var every = rules.Verbs{
	SessionOpen: "sessionopen", SessionClose: "sessionclose",
	Predicate: "predicate", Prioritize: "prioritize",
	Preemptable: "preemptable", Reclaimable: "reclaimable", QueueOverused: "queueoverused",
	JobEnqueueable: "jobenqueueable", JobEnqueued: "jobenqueued", JobReady: "jobready",
	Allocate: "allocate", Deallocate: "deallocate",
}

// requests makes a body for each verb that is not about one pod's placement, about a gang that
// waits and what runs.
func requests(ssn *rules.Session, gang *rules.Job) map[string]any {
	job := ssn.Jobs[gang.ID()]
	evict := &rules.EvictRequest{Evictor: taskOf(ssn, gang, "worker")}
	for _, node := range ssn.NodeList {
		for _, task := range node.Tasks {
			evict.Evictees = append(evict.Evictees, task)
		}
	}
	return map[string]any{
		"sessionopen":    &rules.SessionRequest{Jobs: ssn.Jobs, Nodes: ssn.Nodes, Queues: ssn.Queues},
		"sessionclose":   &rules.CloseRequest{},
		"preemptable":    evict,
		"reclaimable":    evict,
		"queueoverused":  &rules.QueueRequest{Queue: ssn.Queues[gang.Queue]},
		"jobenqueueable": &rules.JobRequest{Job: job},
		"jobenqueued":    &rules.JobRequest{Job: job},
		"jobready":       &rules.JobRequest{Job: job},
	}
}

func taskOf(ssn *rules.Session, gang *rules.Job, role string) *rules.TaskInfo {
	for _, task := range ssn.Jobs[gang.ID()].Tasks {
		if task.TaskRole == role {
			return task
		}
	}
	return nil
}

// Verbs without a decision answer what changes nothing, and do not change what is answered next.
func TestVerbsThatDecideNothing(t *testing.T) {
	cluster, gang := crowded(actions[1], p5(zoneA, 4), p5(zoneB, 4), []fleet.Pool{p5(zoneB, 4)}, true, 32)
	p := serve(t, aws, cluster)
	scheduler := p.scheduler()
	ssn := scheduler.Open(cluster)
	before := verdictsOn(scheduler, ssn, taskOf(ssn, gang, "worker"))
	if len(before) == 0 {
		t.Fatal("no node is refused; this shows nothing")
	}
	for verb, ask := range requests(ssn, gang) {
		body, err := json.Marshal(ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, sent := range [][]byte{body, body[:len(body)/2], {}, []byte("[1]"), []byte("{}")} {
			neutral(t, verb, post(t, p.URL+"/"+verb, sent))
		}
		if after := verdictsOn(scheduler, ssn, taskOf(ssn, gang, "worker")); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: verdicts were %v, are %v", verb, before, after)
		}
	}
}

// neutral fails unless the answer is the one that changes nothing.
func neutral(t *testing.T, verb string, text []byte) {
	t.Helper()
	answer := documented(verb)
	exact(t, text, answer)
	changes := false
	switch said := answer.(type) {
	case *vote:
		changes = *said.Status != rules.Abstain
	case *ready:
		changes = !*said.Status
	case *overused:
		changes = *said.Overused
	case *victims:
		changes = *said.Status != rules.Abstain || said.Victims == nil || len(*said.Victims) != 0
	}
	if changes {
		t.Errorf("%s: %s", verb, text)
	}
}

// verdictsOn lists the refusals for a task by node.
func verdictsOn(scheduler *rules.Scheduler, ssn *rules.Session, task *rules.TaskInfo) map[string]string {
	refused := map[string]string{}
	for _, node := range ssn.NodeList {
		if err := scheduler.Extender.Predicate(task, node); err != nil {
			refused[node.Name] = fmt.Sprintf("%d %s", err.Code, err.Reason)
		}
	}
	return refused
}

// With every verb configured a gang is placed, and evictions are neither vetoed nor widened.
func TestASessionWithEveryVerb(t *testing.T) {
	for _, act := range actions {
		t.Run(act.name, func(t *testing.T) {
			home, other := p5(zoneA, 4), p5(zoneB, 4)
			cluster, gang := crowded(act, home, other, []fleet.Pool{home, other}, true, 32)
			p := serve(t, aws, cluster)
			scheduler := p.scheduler()
			scheduler.Extender.Verbs = every
			if nodes := evictedNodes(t, scheduler, cluster, act); len(nodes) != 1 {
				t.Fatalf("evicted on %v", nodes)
			}
			takesThePlace(t, p, scheduler, cluster, gang)
			for _, job := range scheduler.Open(cluster).JobList {
				if vote := scheduler.Extender.JobEnqueueable(job); vote > rules.Abstain {
					t.Errorf("%s: permitted, which skips other plugins", job.Name)
				}
				if err := scheduler.Extender.JobEnqueued(job); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What is told of one pod decides about the next, without any snapshot: a placement binds the gang
// to a fabric, its end sets it free, and so does an eviction, since who is going is no member.
func TestEventsOfOnePodDecideAboutTheNext(t *testing.T) {
	cluster := pools(p5(zoneA, 2), p5(zoneB, 2))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "gang", Pods: 2, NICs: 32})
	scheduler := serve(t, aws+"placement: prefer\n", nil).scheduler()
	ssn := scheduler.Open(cluster)
	leader, worker := taskOf(ssn, gang, "leader"), taskOf(ssn, gang, "worker")
	near, far := ssn.Nodes["p5-us-east-1a-0001"], ssn.Nodes["p5-us-east-1b-0001"]

	tell := func(verb string, status rules.TaskStatus) {
		t.Helper()
		leader.NodeName, leader.Status = "p5-us-east-1a-0000", status
		if err := scheduler.Extender.Event(verb, leader); err != nil {
			t.Fatal(err)
		}
	}
	passes := func(when string, node *rules.NodeInfo, want bool) {
		t.Helper()
		err := scheduler.Extender.Predicate(worker, node)
		if (err == nil) != want || err != nil && err.Code != rules.UnschedulableAndUnresolvable {
			t.Errorf("%s: %s: %+v", when, node.Name, err)
		}
	}
	// The program learns nodes from the bodies that it is sent.
	passes("before", ssn.Nodes["p5-us-east-1a-0000"], true)
	passes("before", near, true)
	passes("before", far, true)
	tell("deallocate", rules.Pending) // of a pod it never heard of
	passes("after an end of nothing", far, true)
	for range 3 {
		tell("allocate", rules.Allocated) // once, or again
		passes("after a placement", near, true)
		passes("after a placement", far, false)
	}
	tell("deallocate", rules.Releasing)
	passes("after an eviction", near, true)
	passes("after an eviction", far, true)
	tell("allocate", rules.Running)
	passes("after an eviction that was taken back", far, false)
	for range 3 {
		tell("deallocate", rules.Pending)
		passes("after the end", near, true)
		passes("after the end", far, true)
	}
	tell("allocate", rules.Pipelined)
	passes("while it is pipelined", far, false)
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	passes("after the session", far, true)
}

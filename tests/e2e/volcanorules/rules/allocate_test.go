// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

func TestNodesToFind(t *testing.T) {
	for _, one := range []struct{ all, percentage, want int }{
		{50, 0, 50}, {100, 0, 100}, {101, 0, 100}, {200, 0, 100}, {300, 0, 144},
		{1000, 0, 420}, {5000, 0, 500}, {10000, 0, 500}, {1000, 100, 1000}, {1000, 20, 200},
	} {
		if got := rules.NodesToFind(one.all, one.percentage); got != one.want {
			t.Errorf("%d nodes, %d %%: %d, want %d", one.all, one.percentage, got, one.want)
		}
	}
}

func TestTheSearchRotatesAndEnds(t *testing.T) {
	_, scheduler := newScript(t)
	cluster := &rules.Cluster{}
	fleet.Add(cluster, fleet.Pool{Name: "p5", Shape: fleet.P5, Zone: "a", Nodes: 300, BlockSize: 16})
	fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 2})
	ssn := scheduler.Open(cluster)
	task, _ := first(ssn)
	seen := map[string]int{}
	for range 3 {
		nodes, _ := ssn.NewSearch().Nodes(task, ssn.NodeList,
			func(*rules.TaskInfo, *rules.NodeInfo) *rules.FitError { return nil })
		if len(nodes) != 144 {
			t.Fatalf("%d nodes, 144 are enough", len(nodes))
		}
		for _, node := range nodes {
			seen[node.Name]++
		}
	}
	// Each of the 16 may have looked at one more than is taken, and these are not looked at again.
	if len(seen) < 300-2*16 {
		t.Errorf("three searches saw %d of 300 nodes", len(seen))
	}
}

func TestSixteenNodesAreLookedAtAtOnce(t *testing.T) {
	_, scheduler := newScript(t)
	cluster := &rules.Cluster{}
	fleet.Add(cluster, fleet.Pool{Name: "p5", Shape: fleet.P5, Zone: "a", Nodes: 16, BlockSize: 16})
	fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 2})
	ssn := scheduler.Open(cluster)
	task, _ := first(ssn)
	var inside sync.WaitGroup
	inside.Add(16)
	ssn.NewSearch().Nodes(task, ssn.NodeList, func(*rules.TaskInfo, *rules.NodeInfo) *rules.FitError {
		inside.Done()
		inside.Wait() // for ever, were there fewer
		return nil
	})
}

func TestRefusalsAreRememberedByRole(t *testing.T) {
	s, scheduler := newScript(t)
	s.answers["predicate"] = func(one call) (int, string) {
		if one.node == "p5-0000" {
			return 200, `{"status":"m","code":3}`
		}
		return 200, neutral["predicate"]
	}
	cluster, job := four(3)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 3 {
		t.Fatal("not placed")
	}
	asked := map[string]int{}
	for _, one := range s.of("predicate") {
		if one.node == "p5-0000" {
			asked[strings.Split(one.task.Name, "-")[1]]++
		}
	}
	if asked["leader"] != 1 || asked["worker"] != 1 {
		t.Errorf("the node that refuses was asked %v", asked)
	}

	// Without a role nothing is remembered.
	cluster, _ = four(3)
	for _, pod := range cluster.Pods {
		delete(pod.Annotations, rules.RoleAnnotation)
	}
	s.calls = nil
	scheduler.Open(cluster).Allocate()
	again := 0
	for _, one := range s.of("predicate") {
		if one.node == "p5-0000" {
			again++
		}
	}
	if again != 3 {
		t.Errorf("the node that refuses was asked %d times without roles", again)
	}
}

func TestOneCandidateIsNotScored(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, job := four(4)
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 4 {
		t.Fatal("not placed")
	}
	var got []string
	for _, one := range s.of("prioritize") {
		got = append(got, fmt.Sprint(one.nodes))
	}
	if strings.Join(got, " ") != "4 3 2" {
		t.Errorf("scored were %v nodes", got)
	}
}

func TestScoresAreAdded(t *testing.T) {
	s, scheduler := newScript(t)
	s.says("prioritize", 200, `{"nodeScore":{"p5-0001":10,"p5-0002":12.5},"errorMessage":""}`)
	scheduler.Scores = func(_ *rules.TaskInfo, node *rules.NodeInfo) float64 {
		if node.Name == "p5-0001" {
			return 2.6
		}
		return 0
	}
	cluster, job := four(1)
	scheduler.Open(cluster).Allocate()
	if node := cluster.Placed(job)["train-worker-0"]; node != "p5-0001" {
		t.Errorf("placed on %s", node)
	}
}

// events writes down what allocate and deallocate were told.
func events(s *script) string {
	var lines []string
	for _, one := range s.of("allocate", "deallocate", "sessionclose") {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", one.verb,
			strings.TrimPrefix(one.task.Name, "train-"), status(one))))
	}
	return strings.Join(lines, "\n")
}

func status(one call) string {
	if one.task.Status == 0 {
		return ""
	}
	node := "without a node"
	if one.task.NodeName != "" {
		node = "on a node"
	}
	return fmt.Sprintf("%d %s", one.task.Status, node)
}

func TestAGangThatDoesNotFitIsDiscardedBackwards(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, job := four(5)
	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	if len(cluster.Placed(job)) != 0 {
		t.Error("a part of the gang is placed")
	}
	want := `allocate leader-0 2 on a node
allocate worker-0 2 on a node
allocate worker-1 2 on a node
allocate worker-2 2 on a node
deallocate worker-2 1 on a node
deallocate worker-1 1 on a node
deallocate worker-0 1 on a node
deallocate leader-0 1 on a node
sessionclose`
	if got := events(s); got != want {
		t.Errorf("told:\n%s", got)
	}
	// Fact: nothing takes the name of the node out of the pod again.
	s.calls = nil
	scheduler.Open(cluster).Allocate()
	if one := s.of("predicate")[0]; one.task.NodeName != "" || one.task.Pod.Spec.NodeName == "" {
		t.Errorf("the next session sends NodeName %q, Pod.Spec.NodeName %q", one.task.NodeName,
			one.task.Pod.Spec.NodeName)
	}
}

func TestAJobThatIsOnlyPipelinedLeavesWithoutAWord(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, job := four(2)
	leaving := fleet.Submit(cluster, fleet.Gang{Name: "leaving", Pods: 4})
	for i, pod := range fleet.PodsOf(cluster, leaving) {
		cluster.Run(pod, fmt.Sprintf("p5-%04d", i))
	}
	evicting := scheduler.Open(cluster)
	statement := evicting.NewStatement()
	for _, task := range evicting.Jobs[leaving.ID()].Tasks {
		statement.Evict(task)
	}
	statement.Commit()
	s.calls = nil

	ssn := scheduler.Open(cluster)
	ssn.Allocate()
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	want := "allocate leader-0 4 on a node\nallocate worker-0 4 on a node\nsessionclose"
	if got := events(s); got != want {
		t.Errorf("told:\n%s", got)
	}
	if len(cluster.Placed(job)) != 0 {
		t.Error("bound")
	}
	if cluster.EndReleasing() != 4 {
		t.Error("the evicted pods do not go")
	}
	scheduler.Open(cluster).Allocate()
	if len(cluster.Placed(job)) != 2 {
		t.Error("not bound once there is room")
	}
}

func TestDryRunsAreToldAndTakenBack(t *testing.T) {
	s, scheduler := newScript(t)
	cluster, job := four(2)
	ssn := scheduler.Open(cluster)
	if err := ssn.AllocateDry(ssn.Jobs[job.ID()], 3); err != nil {
		t.Fatal(err)
	}
	if a, d := len(s.of("allocate")), len(s.of("deallocate")); a != 8 || d != 6 {
		t.Errorf("%d allocations, %d ends", a, d)
	}
	if len(cluster.Placed(job)) != 2 {
		t.Error("not placed")
	}
}

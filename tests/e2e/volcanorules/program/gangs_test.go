// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

const (
	zoneA = "us-east-1a"
	zoneB = "us-east-1b"
)

// sampling is a value of --percentage-nodes-to-find.
var sampling = map[string]int{"sampled": 0, "unsampled": 100}

// Two fabrics, each big enough: the program's own choices, told back to it, end on one of them.
func TestAGangEndsOnOneFabric(t *testing.T) {
	for _, nodes := range []int{50, 1000} {
		half := nodes / 2
		twoZones := []fleet.Pool{p5(zoneA, half), p5(zoneB, half)}
		twoShapes := []fleet.Pool{p5(zoneA, half), p4d(half)}
		for _, one := range []struct {
			name  string
			pools []fleet.Pool
			nics  int64 // two shapes: nobody but the program knows what a pod needs
		}{{"zones", twoZones, 32}, {"shapes", twoShapes, 0}} {
			for _, placement := range []string{"require", "prefer"} {
				for name, percentage := range sampling {
					for _, known := range []bool{true, false} {
						if !known && nodes == 1000 && (one.name == "zones") == (placement == "prefer") {
							continue // two of the four will do
						}
						title := fmt.Sprintf("%d/%s/%s/%s/known=%v", nodes, one.name, placement, name, known)
						t.Run(title, func(t *testing.T) {
							cluster := pools(one.pools...)
							gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 12, NICs: one.nics})
							endsOnOne(t, cluster, gang, placement, percentage, known)
						})
					}
				}
			}
		}
	}
}

func endsOnOne(t *testing.T, cluster *rules.Cluster, gang *rules.Job, placement string,
	percentage int, known bool) {
	shown := cluster
	if !known {
		shown = nil // all that the program knows is in the bodies
	}
	scheduler := serve(t, aws+"placement: "+placement+"\n", shown).scheduler()
	scheduler.PercentageOfNodesToFind = percentage
	place(t, scheduler, cluster, gang, 3)
	oneFabric(t, cluster, gang)
}

// Stock scores do not keep a gang together: where the extender says nothing, the same runs spread.
// Without this the test above could pass by luck.
func TestWithoutTheProgramGangsAreSpread(t *testing.T) {
	cluster := pools(p5(zoneA, 25), p5(zoneB, 25))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 20, NICs: 32})
	scheduler := (&program{t: t}).scheduler()
	scheduler.Extender.Verbs = rules.Verbs{}
	place(t, scheduler, cluster, gang, 1)
	if len(fabrics(cluster, nodesOf(cluster, gang))) != 2 {
		t.Error("it is on one fabric by itself")
	}
}

// broken is 1,000 nodes in blocks of 16 of which only six have no pod on any node: four below one
// switch, two below another.
func broken() *rules.Cluster {
	cluster := pools(p5(zoneA, 1000))
	free := []int{16, 17, 18, 19, 40, 41}
	var taken []string
	for i, name := range of(cluster, p5(zoneA, 0)) {
		if i%16 == 5 && !slices.Contains(free, i/16) {
			taken = append(taken, name)
		}
	}
	fill(cluster, "single", "default", 0, taken)
	return cluster
}

// A gang of 64 fills the four whole blocks that are below one switch; the one after it the two others.
func TestRequireKeepsToThePlannedBlocks(t *testing.T) {
	for name, percentage := range sampling {
		t.Run(name, func(t *testing.T) {
			cluster := broken()
			first := fleet.Submit(cluster, fleet.Gang{Name: "first", Pods: 64, NICs: 32})
			scheduler := serve(t, aws+"placement: require\n", cluster).scheduler()
			scheduler.PercentageOfNodesToFind = percentage
			place(t, scheduler, cluster, first, 1)
			wholeBlocks(t, cluster, first, 4)
			second := fleet.Submit(cluster, fleet.Gang{Name: "second", Pods: 32, NICs: 32})
			place(t, scheduler, cluster, second, 1)
			wholeBlocks(t, cluster, second, 2)
		})
	}
}

// With `prefer` nothing but scores speak for the plan, so every node has to be looked at.
func TestPreferReachesThePlannedBlocksUnsampled(t *testing.T) {
	cluster := broken()
	gang := fleet.Submit(cluster, fleet.Gang{Name: "first", Pods: 32, NICs: 32})
	scheduler := serve(t, aws+"placement: prefer\n", cluster).scheduler()
	scheduler.PercentageOfNodesToFind = 100
	place(t, scheduler, cluster, gang, 1)
	wholeBlocks(t, cluster, gang, 2)
}

// Volcano 1.8 and 1.9 read verdicts from an array and tell of no placements: the plan alone keeps
// the gang together. All verbs are below one prefix.
func TestVolcano19WithoutEvents(t *testing.T) {
	cluster := pools(p5(zoneA, 64), p5(zoneB, 64))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 32, NICs: 32})
	p := serve(t, aws+"placement: require\n", cluster)
	scheduler := p.scheduler()
	scheduler.Extender.URL = strings.TrimSuffix(p.URL, "/volcano")
	scheduler.Extender.Dialect = rules.Array
	scheduler.Extender.Verbs = rules.Verbs{
		Predicate: "volcano-1.9/predicate", Prioritize: "volcano/prioritize",
		SessionClose: "volcano/sessionclose",
	}
	place(t, scheduler, cluster, gang, 1)
	oneFabric(t, cluster, gang)
	wholeBlocks(t, cluster, gang, 2)
}

// Hard network topologies make Volcano place and discard a job over and over before it commits.
func TestAStormOfDryRunsLeavesNothingBehind(t *testing.T) {
	cluster := pools(p5(zoneA, 64), p5(zoneB, 64))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 32, NICs: 32})
	scheduler := serve(t, aws, cluster).scheduler()
	ssn := scheduler.Open(cluster)
	if err := ssn.AllocateDry(ssn.Jobs[gang.ID()], 8); err != nil {
		t.Fatal(err)
	}
	if err := ssn.Close(); err != nil {
		t.Fatal(err)
	}
	if len(cluster.Placed(gang)) != 32 {
		t.Fatalf("%d of 32 pods have a place", len(cluster.Placed(gang)))
	}
	wholeBlocks(t, cluster, gang, 2)
	oneFabric(t, cluster, gang)
	cluster.StartBound()
	// What is left of both zones is still there to have.
	for _, name := range []string{"second", "third", "fourth"} {
		next := fleet.Submit(cluster, fleet.Gang{Name: name, Pods: 32, NICs: 32})
		place(t, scheduler, cluster, next, 2)
		wholeBlocks(t, cluster, next, 2)
	}
}

// Some plugin before the extender, or behind it, refuses nodes that the plan has: so the gang is
// planned anew without them. Which nodes these are is learnt from a program of its own.
func TestARefusedNodeDoesNotStrandTheGang(t *testing.T) {
	for _, behind := range []bool{false, true} {
		for _, refused := range []int{1, 3} {
			t.Run(fmt.Sprintf("behind=%v/%d", behind, refused), func(t *testing.T) {
				_, nodes := aloneIn128(t, nil, false, 1)
				taken := []string{nodes[0], nodes[15], nodes[31]}[:refused]
				used, nodes := aloneIn128(t, taken, behind, 3)
				for _, node := range nodes {
					if slices.Contains(taken, node) {
						t.Errorf("a pod is on %s, which is refused", node)
					}
				}
				if len(used) > 3 {
					t.Errorf("it ends in %d blocks", len(used))
				}
			})
		}
	}
}

func aloneIn128(t *testing.T, refused []string, behind bool, sessions int) (map[string]int, []string) {
	cluster := pools(p5(zoneA, 128))
	gang := fleet.Submit(cluster, fleet.Gang{Name: "train", Pods: 32, NICs: 32})
	scheduler := serve(t, aws+"placement: require\n", cluster).scheduler()
	refuses := func(_ *rules.TaskInfo, node *rules.NodeInfo) *rules.FitError {
		if slices.Contains(refused, node.Name) {
			return &rules.FitError{Node: node.Name, Code: rules.UnschedulableAndUnresolvable, Reason: "no"}
		}
		return nil
	}
	if behind {
		scheduler.RefusesLater = refuses
	} else {
		scheduler.Refuses = refuses
	}
	place(t, scheduler, cluster, gang, sessions)
	nodes := nodesOf(cluster, gang)
	return blocks(cluster, nodes), nodes
}

// SPDX-License-Identifier: Apache-2.0

package rules

import (
	"math"
	"sort"
)

// prioritize adds up the scores. When a plugin that scores all nodes at once fails, the answer is
// an empty map, not one of zeros: so no node is chosen.
func (ssn *Session) prioritize(task *TaskInfo, nodes []*NodeInfo) map[float64][]*NodeInfo {
	byScore := map[float64][]*NodeInfo{}
	batch := map[string]float64{}
	if !ssn.silent {
		var err error
		if batch, err = ssn.Extender.Prioritize(task, nodes); err != nil {
			return byScore
		}
	}
	for _, node := range nodes {
		score := batch[node.Name]
		if ssn.Scores != nil {
			score += ssn.Scores(task, node)
		}
		byScore[score] = append(byScore[score], node)
	}
	return byScore
}

// best picks one of those with the highest score at random.
func (ssn *Session) best(byScore map[float64][]*NodeInfo) *NodeInfo {
	var nodes []*NodeInfo
	highest := math.Inf(-1)
	for score, ofScore := range byScore {
		if score > highest {
			highest, nodes = score, ofScore
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return nodes[ssn.Random.Intn(len(nodes))]
}

// ordered lists nodes from the highest score down.
func ordered(byScore map[float64][]*NodeInfo) []*NodeInfo {
	var scores []float64
	for score := range byScore {
		scores = append(scores, score)
	}
	sort.Sort(sort.Reverse(sort.Float64Slice(scores)))
	var nodes []*NodeInfo
	for _, score := range scores {
		nodes = append(nodes, byScore[score]...)
	}
	return nodes
}

// choose splits candidates in two: those with room now, and those that will have it. The first
// that gives a node decides. A single candidate is taken unasked: prioritize is not called for it.
func (ssn *Session) choose(task *TaskInfo, nodes []*NodeInfo) *NodeInfo {
	var idle, later []*NodeInfo
	for _, node := range nodes {
		if task.InitResreq.LessEqual(node.Idle) {
			idle = append(idle, node)
		} else if task.InitResreq.LessEqual(node.FutureIdle()) {
			later = append(later, node)
		}
	}
	for _, candidates := range [][]*NodeInfo{idle, later} {
		if len(candidates) == 1 {
			return candidates[0]
		}
		if len(candidates) > 1 {
			if node := ssn.best(ssn.prioritize(task, candidates)); node != nil {
				return node
			}
		}
	}
	return nil
}

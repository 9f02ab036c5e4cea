// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"encoding/json"
	"os"
	"path/filepath"

	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// WriteSnapshot writes nodes.json, pods.json, podgroups.json and vcjobs.json into a directory, as
// `kubectl get -A -o json` prints them. Pods that were never placed are not running yet: without a
// node, also where a scheduler has once tried one.
func WriteSnapshot(directory string, cluster *rules.Cluster) error {
	nodes, pods, groups, jobs := []any{}, []any{}, []any{}, []any{}
	for _, node := range cluster.Nodes {
		nodes = append(nodes, node.Node)
	}
	for _, job := range cluster.Jobs {
		groups = append(groups, job.PodGroupObject())
		jobs = append(jobs, job.Object)
	}
	for _, pod := range cluster.Pods {
		copied := pod.DeepCopy()
		copied.APIVersion, copied.Kind = "v1", "Pod"
		copied.Spec.NodeName = cluster.NodeOf(pod)
		pods = append(pods, copied)
	}
	for name, items := range map[string][]any{
		"nodes.json": nodes, "pods.json": pods, "podgroups.json": groups, "vcjobs.json": jobs,
	} {
		if err := writeList(filepath.Join(directory, name), items); err != nil {
			return err
		}
	}
	return nil
}

func writeList(path string, items []any) error {
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

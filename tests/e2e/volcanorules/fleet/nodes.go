// SPDX-License-Identifier: Apache-2.0

// Package fleet builds clusters of GPU nodes and the jobs that want them, and writes them down as
// kubectl would print them.
package fleet

import (
	"crypto/sha256"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// Resources that jobs ask for.
const (
	GPU = corev1.ResourceName("nvidia.com/gpu")
	EFA = corev1.ResourceName("vpc.amazonaws.com/efa")
)

// Shape is an instance type.
type Shape struct {
	Type       string
	GPUs, NICs int64
}

// The two that the tests use: equal in GPUs, not in NICs.
var (
	P5  = Shape{"p5.48xlarge", 8, 32}
	P4d = Shape{"p4d.24xlarge", 8, 4}
)

// Pool is a row of equal nodes in one zone: name-0000 and so on, a block of switches for every
// BlockSize of them.
type Pool struct {
	Name      string
	Shape     Shape
	Zone      string
	Nodes     int
	BlockSize int
}

// blocksAbove is how many finest blocks share a switch of the next tier.
const blocksAbove = 4

// Block is the label of the finest tier.
const Block = "topology.k8s.aws/network-node-layer-3"

// Add makes the nodes of a pool and hands out their names.
func Add(cluster *rules.Cluster, pool Pool) []string {
	var names []string
	for i := range pool.Nodes {
		node := makeNode(pool, i)
		cluster.AddNode(node)
		names = append(names, node.Name)
	}
	return names
}

func makeNode(pool Pool, i int) *corev1.Node {
	name := fmt.Sprintf("%s-%04d", pool.Name, i)
	block := i / pool.BlockSize
	amounts := corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("190"),
		corev1.ResourceMemory:           resource.MustParse("2000Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("500Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
		GPU:                             *resource.NewQuantity(pool.Shape.GPUs, resource.DecimalSI),
		EFA:                             *resource.NewQuantity(pool.Shape.NICs, resource.DecimalSI),
	}
	return &corev1.Node{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			UID:  UID("node", name),
			Labels: map[string]string{
				"kubernetes.io/arch":                    "amd64",
				"kubernetes.io/hostname":                name,
				"kubernetes.io/os":                      "linux",
				"node.kubernetes.io/instance-type":      pool.Shape.Type,
				"topology.k8s.aws/network-node-layer-1": "nn-" + pool.Zone,
				"topology.k8s.aws/network-node-layer-2": fmt.Sprintf("nn-%s-%s-%d", pool.Zone, pool.Name, block/blocksAbove),
				Block:                                   fmt.Sprintf("nn-%s-%s-b%d", pool.Zone, pool.Name, block),
				"topology.kubernetes.io/region":         "us-east-1",
				"topology.kubernetes.io/zone":           pool.Zone,
			},
		},
		Spec: corev1.NodeSpec{ProviderID: fmt.Sprintf("aws:///%s/i-%017d", pool.Zone, i)},
		Status: corev1.NodeStatus{
			Capacity:    amounts,
			Allocatable: amounts,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady",
			}},
		},
	}
}

// UID is one that looks like others, and is the same in every run.
func UID(kind, name string) types.UID {
	sum := sha256.Sum256([]byte(kind + "/" + name))
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

// SPDX-License-Identifier: Apache-2.0

package rules

import (
	corev1 "k8s.io/api/core/v1"
)

// Resource is an amount of everything, in the units of pkg/scheduler/api/resource_info.go: CPU in
// thousandths, memory in bytes, pods as they are, every other scalar (GPUs, NICs, huge pages,
// ephemeral storage) in thousandths of its unit.
type Resource struct {
	MilliCPU        float64
	Memory          float64
	ScalarResources map[corev1.ResourceName]float64
	MaxTaskNum      int
}

// slack is how far apart two amounts may be and still count as equal.
const slack = 0.1

// NewResource reads a list as Kubernetes writes it.
func NewResource(list corev1.ResourceList) *Resource {
	r := &Resource{}
	for name, quantity := range list {
		switch name {
		case corev1.ResourceCPU:
			r.MilliCPU += float64(quantity.MilliValue())
		case corev1.ResourceMemory:
			r.Memory += float64(quantity.Value())
		case corev1.ResourcePods:
			r.MaxTaskNum += int(quantity.Value())
			r.addScalar(name, float64(quantity.Value()))
		default:
			r.addScalar(name, float64(quantity.MilliValue()))
		}
	}
	return r
}

func (r *Resource) addScalar(name corev1.ResourceName, amount float64) {
	if r.ScalarResources == nil {
		r.ScalarResources = map[corev1.ResourceName]float64{}
	}
	r.ScalarResources[name] += amount
}

// Clone copies.
func (r *Resource) Clone() *Resource {
	clone := *r
	clone.ScalarResources = nil
	for name, amount := range r.ScalarResources {
		clone.addScalar(name, amount)
	}
	return &clone
}

// Add adds in place; MaxTaskNum is a bound, not an amount, and stays.
func (r *Resource) Add(other *Resource) *Resource {
	r.MilliCPU += other.MilliCPU
	r.Memory += other.Memory
	for name, amount := range other.ScalarResources {
		r.addScalar(name, amount)
	}
	return r
}

// Sub takes away in place. Volcano lets amounts fall below 0.
func (r *Resource) Sub(other *Resource) *Resource {
	r.MilliCPU -= other.MilliCPU
	r.Memory -= other.Memory
	for name, amount := range other.ScalarResources {
		r.addScalar(name, -amount)
	}
	return r
}

// SetMax raises every amount to that of other where it is lower.
func (r *Resource) SetMax(other *Resource) *Resource {
	r.MilliCPU = max(r.MilliCPU, other.MilliCPU)
	r.Memory = max(r.Memory, other.Memory)
	for name, amount := range other.ScalarResources {
		if amount > r.ScalarResources[name] {
			r.addScalar(name, amount-r.ScalarResources[name])
		}
	}
	return r
}

// LessEqual says whether r fits in other. What other does not name counts as 0, and next to
// nothing fits everywhere.
func (r *Resource) LessEqual(other *Resource) bool {
	fits := func(need, have float64) bool { return need < have+slack }
	if !fits(r.MilliCPU, other.MilliCPU) || !fits(r.Memory, other.Memory) {
		return false
	}
	for name, amount := range r.ScalarResources {
		if amount > slack && !fits(amount, other.ScalarResources[name]) {
			return false
		}
	}
	return true
}

// SPDX-License-Identifier: Apache-2.0

package rules

// Codes of a refusal, as in pkg/scheduler/api and the Kubernetes scheduling framework.
const (
	Success                      = 0
	Error                        = 1
	Unschedulable                = 2 // evicting pods may help
	UnschedulableAndUnresolvable = 3 // it may not
	Wait                         = 4
	Skip                         = 5
)

// FitError is why a task does not go to a node. A code outside 1 to 5 can stand in it: then no
// branch of the actions below matches, and the node passes.
type FitError struct {
	Node   string
	Code   int
	Reason string
}

// FitErrors is by node.
type FitErrors map[string]*FitError

// excludesInAllocate: Unschedulable, UnschedulableAndUnresolvable, Error, Skip and Wait do. What
// none of them matches is no reason to leave the node out.
func (e *FitError) excludesInAllocate() bool {
	return e != nil && e.Code >= Error && e.Code <= Skip
}

// excludesInEviction: preempt and reclaim keep a node that is Unschedulable, since evictions are
// meant to mend that.
func (e *FitError) excludesInEviction() bool {
	return e.excludesInAllocate() && e.Code != Unschedulable
}

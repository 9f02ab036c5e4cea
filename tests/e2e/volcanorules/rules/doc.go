// SPDX-License-Identifier: Apache-2.0

// Package rules behaves towards an HTTP extender as Volcano's scheduler does: its extender plugin,
// and as much of sessions, statements and the actions allocate, preempt and reclaim as decides
// what an extender is asked, what it is told and what its answers lead to.
//
// It was written from the facts in the source of Volcano v1.16.0-alpha.1; each file says which
// ones it mirrors. Left out: queues' shares, HyperNodes, DRA, sharding, backfill, binding.
package rules

// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/fabricbind/tests/e2e/cluster/fixture"
)

// usage is what the process has used until now: seconds of CPU, and bytes of memory.
func (d *daemon) usage() (cpu, memory float64) {
	d.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", d.command.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	// Behind the name, which may have spaces: state is field 3, utime 14, stime 15, rss 24.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	number := func(at int) float64 {
		value, err := strconv.ParseFloat(fields[at-3], 64)
		if err != nil {
			d.t.Fatal(err)
		}
		return value
	}
	const ticks = 100.0 // USER_HZ of every architecture that Go knows
	return (number(14) + number(15)) / ticks, number(24) * float64(os.Getpagesize())
}

// What an injection and a bind cost the program, and how long they take through the API server.
func TestCostOfAPod(t *testing.T) {
	const pods = 500
	model := nodesOf(t, "aws", "p5.48xlarge")[0]
	nodes := fixture.Copies(model, "n", pods)
	w := newWorld(t, nodes...)
	d := w.serve(auto)
	d.awaitNodes(pods)
	gang := w.gang(&fixture.Gang{Name: "cost", Pods: pods})
	start, _ := d.usage()
	began := time.Now()
	made := w.createAll(gang)
	created, _ := d.usage()
	t.Logf("injection: %.2f ms of CPU, %.2f ms in all, a pod",
		(created-start)*1000/pods, float64(time.Since(began).Milliseconds())/pods)
	w.awaitInventory(d, "pod")
	start, _ = d.usage()
	began = time.Now()
	for rank, pod := range made {
		if err := w.bind(t.Context(), pod, nodes[rank].Name, false); err != nil {
			t.Fatal(err)
		}
	}
	bound, memory := d.usage()
	t.Logf("bind: %.2f ms of CPU, %.2f ms in all, a pod; %.1f MiB",
		(bound-start)*1000/pods, float64(time.Since(began).Milliseconds())/pods, memory/(1<<20))
	if signed := d.metric("binds_total", `result="signed"`); signed != pods {
		t.Errorf("%g of %d are bound with a signed profile", signed, pods)
	}
}

func (d *daemon) awaitNodes(count int) {
	d.t.Helper()
	awaitFor(d.t, "nodes", func() error {
		if got := d.metric("inventory_objects", `kind="node"`); got != float64(count) {
			return fmt.Errorf("%g of %d are known", got, count)
		}
		return nil
	})
}

// 1,000 nodes and 5,000 pods are known soon after the start, in little memory. Minutes are spent on
// making them, so FB_E2E_LARGE asks for it.
func TestSyncOfALargeCluster(t *testing.T) {
	if os.Getenv("FB_E2E_LARGE") == "" {
		t.Skip("FB_E2E_LARGE is not set")
	}
	const count, each = 1000, 5
	model := nodesOf(t, "aws", "p5.48xlarge")[0]
	w := newWorld(t, fixture.Copies(model, "n", count)...)
	for i := range each {
		gang := w.gang(&fixture.Gang{Name: fmt.Sprintf("many-%d", i), Pods: count})
		for rank, pod := range w.createAll(gang) {
			if err := w.bind(t.Context(), pod, fmt.Sprintf("n-%04d", rank), false); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := newDaemon(t, w.cluster, w.service, auto)
	began := time.Now()
	d.start().awaitReady()
	w.awaitInventory(d, "pod")
	took := time.Since(began)
	cpu, memory := d.usage()
	t.Logf("%d nodes and %d pods: %s until all are known, %.2f s of CPU, %.1f MiB", count,
		count*each, took, cpu, memory/(1<<20))
	if memory > 100<<20 {
		t.Error("more than 100 MiB")
	}
}

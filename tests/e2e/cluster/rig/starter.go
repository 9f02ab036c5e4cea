// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"os/exec"
	"runtime"
	"sync"
)

// The kernel sends a parent-death signal when the thread that started the child ends, not when the
// process does. So all children are started by one thread that never ends.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range work {
			do()
		}
	}()
	return work
})

func startOnLastingThread(command *exec.Cmd) error {
	started := make(chan error)
	starter() <- func() { started <- command.Start() }
	return <-started
}

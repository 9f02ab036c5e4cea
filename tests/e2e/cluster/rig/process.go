// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// patience bounds every wait for a program to start or end.
const patience = 60 * time.Second

// process is a program that this one started and will stop.
type process struct {
	name    string
	command *exec.Cmd
	log     string // path
	ended   chan struct{}
}

// start runs a program with its output in folder/name.log, to which a later start adds.
func start(folder, name, path string, arguments ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(folder, name+".log"), ended: make(chan struct{})}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.command = exec.Command(path, arguments...)
	p.command.Stdout, p.command.Stderr = log, log
	// A test program that is killed takes its servers along.
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := startOnLastingThread(p.command); err != nil {
		return nil, err
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop ends it, and waits until it has ended. A second stop does nothing.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		return nil
	case <-time.After(patience):
		p.kill()
		return fmt.Errorf("%s did not end on SIGTERM", p.name)
	}
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// tail is the end of its log, for the message of a failure.
func (p *process) tail() string {
	const most = 4000
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// freePorts returns ports of loopback that nobody listens on now.
func freePorts(count int) ([]int, error) {
	ports := make([]int, 0, count)
	for range count {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		// All are held until the last is known, so that no two are equal.
		defer listener.Close()
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// FreePort is one port of loopback that nobody listens on now.
func FreePort() (int, error) {
	ports, err := freePorts(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

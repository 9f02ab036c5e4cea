// SPDX-License-Identifier: Apache-2.0

// Package program drives `fabricbind serve` as Volcano's scheduler would, and looks at what becomes
// of the pods. FB_BIN is the program.
package program

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/fabricbind/tests/e2e/volcanorules/fleet"
	"example.com/fabricbind/tests/e2e/volcanorules/rules"
)

// patience bounds every wait for the program; none is meant to take this long.
const patience = 20 * time.Second

func TestMain(m *testing.M) {
	if path := os.Getenv("FB_BIN"); path == "" {
		fmt.Fprintln(os.Stderr, "FB_BIN is not set: the path of the fabricbind program is wanted")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// program is one that runs.
type program struct {
	t        *testing.T
	command  *exec.Cmd
	snapshot string // directory; "" without
	URL      string // of the extender

	lock  sync.Mutex
	lines []string      // of its log
	news  chan struct{} // closed at the next line
	ended bool
}

// config is the configuration of every program here, and what a test adds to it.
const config = `listen: {extender: 127.0.0.1:0, admission: 127.0.0.1:0, metrics: 127.0.0.1:0}
`

const aws = `multinodeNetworking:
  aws: {enabled: true, efaDevicesPerGPU: auto}
`

// serve starts the program with a snapshot of the cluster, or without one where it is nil, and
// stops it when the test ends.
func serve(t *testing.T, settings string, cluster *rules.Cluster) *program {
	t.Helper()
	directory := t.TempDir()
	file := filepath.Join(directory, "config.yaml")
	if err := os.WriteFile(file, []byte(config+settings), 0o600); err != nil {
		t.Fatal(err)
	}
	arguments := []string{"serve", "--config", file}
	p := &program{t: t, news: make(chan struct{})}
	if cluster != nil {
		p.snapshot = directory
		if err := fleet.WriteSnapshot(directory, cluster); err != nil {
			t.Fatal(err)
		}
		arguments = append(arguments, "--snapshot", directory)
	}
	p.command = exec.Command(os.Getenv("FB_BIN"), arguments...)
	errors, err := p.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go p.read(errors, read)
	t.Cleanup(func() { p.stop(read) })
	p.URL = fmt.Sprintf("http://127.0.0.1:%d/volcano", p.port("extender"))
	return p
}

// read keeps the log until it ends.
func (p *program) read(log io.Reader, done chan<- struct{}) {
	defer close(done)
	scanner := bufio.NewScanner(log)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		p.tell(scanner.Text(), false)
	}
	p.tell("", true)
}

func (p *program) tell(line string, ended bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if !ended {
		p.lines = append(p.lines, line)
	}
	p.ended = ended
	close(p.news)
	p.news = make(chan struct{})
}

// await reads log lines from the given one on until one is accepted.
func (p *program) await(from int, what string, accepts func(line string) bool) {
	p.t.Helper()
	deadline := time.After(patience)
	for {
		p.lock.Lock()
		lines, news, ended := p.lines[from:], p.news, p.ended
		p.lock.Unlock()
		for _, line := range lines {
			if accepts(line) {
				return
			}
		}
		from += len(lines)
		if ended {
			p.t.Fatalf("it ended before it said %q:\n%s", what, p.log())
		}
		select {
		case <-news:
		case <-deadline:
			p.t.Fatalf("it never said %q:\n%s", what, p.log())
		}
	}
}

func (p *program) log() string {
	p.lock.Lock()
	defer p.lock.Unlock()
	return strings.Join(p.lines, "\n")
}

// port waits for the line that tells it.
func (p *program) port(server string) int {
	p.t.Helper()
	port := 0
	p.await(0, "listening", func(line string) bool {
		var said struct {
			Message, Server string
			Port            int
		}
		if json.Unmarshal([]byte(line), &said) != nil || said.Message != "listening" ||
			said.Server != server {
			return false
		}
		port = said.Port
		return true
	})
	return port
}

// reload shows the program what the cluster is now.
func (p *program) reload(cluster *rules.Cluster) {
	p.t.Helper()
	if err := fleet.WriteSnapshot(p.snapshot, cluster); err != nil {
		p.t.Fatal(err)
	}
	p.lock.Lock()
	from := len(p.lines)
	p.lock.Unlock()
	if err := p.command.Process.Signal(syscall.SIGHUP); err != nil {
		p.t.Fatal(err)
	}
	p.await(from, "reloaded", func(line string) bool {
		return strings.Contains(line, `"message":"reloaded"`)
	})
}

// stop ends it and looks at how it ended; a test that failed shows its log.
func (p *program) stop(read <-chan struct{}) {
	_ = p.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-read:
	case <-time.After(patience):
		p.t.Error("it does not end on SIGTERM")
		_ = p.command.Process.Kill()
		<-read
	}
	if err := p.command.Wait(); err != nil {
		p.t.Errorf("it ended badly: %v", err)
	}
	if state := p.command.ProcessState; state != nil {
		p.t.Logf("it used %d ms of CPU", (state.UserTime() + state.SystemTime()).Milliseconds())
	}
	if p.t.Failed() {
		p.t.Logf("its log:\n%s", p.log())
	}
}

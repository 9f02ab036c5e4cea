// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"example.com/fabricbind/tests/e2e/cluster/manifest"
	"example.com/fabricbind/tests/e2e/cluster/rig"
)

// daemon is one replica of the program.
type daemon struct {
	t       *testing.T
	folder  string // configuration, kubeconfig and token
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended and its log is read

	lock sync.Mutex
	log  bytes.Buffer

	admission, metrics int // ports
}

// newDaemon prepares a replica: a folder with its files. settings is YAML that is added to its
// configuration.
func newDaemon(t *testing.T, c *rig.Cluster, s *service, settings string) *daemon {
	t.Helper()
	d := &daemon{t: t, folder: t.TempDir()}
	config := "listen: {extender: 127.0.0.1:0, admission: 127.0.0.1:0, metrics: 127.0.0.1:0}\n" +
		fmt.Sprintf("admission: {url: %q}\n", s.URL()) + settings
	d.write("config.yaml", config)
	d.renewToken(c)
	user := clientcmdapi.NewAuthInfo()
	user.TokenFile = d.path("token")
	if err := c.WriteKubeconfig(d.path("kubeconfig"), d.path("ca.crt"), manifest.Space, user); err != nil {
		t.Fatal(err)
	}
	d.renewAuthority(c)
	return d
}

// renewAuthority gives it the cluster's authority as it is now.
func (d *daemon) renewAuthority(c *rig.Cluster) {
	d.t.Helper()
	d.write("ca.crt", string(c.Authority()))
}

func (d *daemon) path(name string) string {
	return filepath.Join(d.folder, name)
}

// write puts a file in place at once, as kubelets do.
func (d *daemon) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.path(name+".new"), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
	if err := os.Rename(d.path(name+".new"), d.path(name)); err != nil {
		d.t.Fatal(err)
	}
}

// renewToken replaces the token by a new one.
func (d *daemon) renewToken(c *rig.Cluster) {
	d.t.Helper()
	token, err := c.Token(context.Background(), manifest.Space, manifest.Account, 3600)
	if err != nil {
		d.t.Fatal(err)
	}
	d.write("token", token)
}

// start runs it, and waits until it listens. It is stopped when the test ends.
func (d *daemon) start() *daemon {
	d.t.Helper()
	d.launch()
	return d.awaitPorts()
}

func (d *daemon) launch() {
	d.t.Helper()
	d.command = exec.Command(os.Getenv("FB_BIN"), "serve", "--log-level", "debug",
		"--kubeconfig", d.path("kubeconfig"), "--config", d.path("config.yaml"))
	log, err := d.command.StderrPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := d.command.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.lock.Lock()
	d.log.Reset() // the ports of an earlier start are not these
	d.lock.Unlock()
	d.ended = make(chan struct{})
	go d.read(log, d.ended)
	d.t.Cleanup(d.stop)
}

func (d *daemon) awaitPorts() *daemon {
	d.t.Helper()
	d.admission, d.metrics = d.port("admission"), d.port("metrics")
	return d
}

func (d *daemon) read(log io.Reader, ended chan<- struct{}) {
	defer close(ended)
	scanner := bufio.NewScanner(log)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if bytes.Contains(scanner.Bytes(), []byte(`"message":"request"`)) {
			continue // each look at the metrics is one
		}
		d.lock.Lock()
		d.log.Write(append(scanner.Bytes(), '\n'))
		d.lock.Unlock()
	}
}

func (d *daemon) said() string {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.log.String()
}

// awaitLog waits until its log has a text.
func (d *daemon) awaitLog(text string) {
	d.t.Helper()
	awaitFor(d.t, "log", func() error {
		if !strings.Contains(d.said(), text) {
			return fmt.Errorf("it never said %q", text)
		}
		return nil
	})
}

// port waits for the last line that tells where a server listens.
func (d *daemon) port(server string) (port int) {
	d.t.Helper()
	awaitFor(d.t, "port of "+server, func() error {
		for line := range strings.Lines(d.said()) {
			var told struct {
				Message, Server string
				Port            int
			}
			if json.Unmarshal([]byte(line), &told) == nil && told.Message == "listening" &&
				told.Server == server {
				port = told.Port
			}
		}
		select {
		case <-d.ended:
			return fmt.Errorf("it ended:\n%s", d.said())
		default:
		}
		if port == 0 {
			return fmt.Errorf("it does not listen:\n%s", d.said())
		}
		return nil
	})
	return port
}

// stop ends it in order; a test that failed shows the end of its log. One that has ended stays so.
func (d *daemon) stop() {
	if d.command == nil {
		return
	}
	defer d.show()
	_ = d.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.ended:
	case <-time.After(patience):
		d.t.Error("it does not end on SIGTERM")
		_ = d.command.Process.Kill()
		<-d.ended
	}
	if err := d.command.Wait(); err != nil {
		d.t.Errorf("it ended badly: %v", err)
	}
	d.command = nil
}

func (d *daemon) show() {
	if log := d.said(); d.t.Failed() {
		d.t.Logf("its log:\n%s", log[max(0, len(log)-20000):])
	}
}

// kill ends it as a machine that is gone.
func (d *daemon) kill() {
	_ = d.command.Process.Kill()
	<-d.ended
	_ = d.command.Wait()
	d.command = nil
	d.show()
}

// get asks its port for metrics and probes.
func (d *daemon) get(path string) (int, string, error) {
	client := http.Client{Timeout: 5 * time.Second}
	answer, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d%s", d.metrics, path))
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(body), err
}

// awaitReady waits until it says that it is.
func (d *daemon) awaitReady() *daemon {
	d.t.Helper()
	awaitFor(d.t, "/readyz", func() error {
		code, body, err := d.get("/readyz")
		if err != nil || code != http.StatusOK {
			return fmt.Errorf("%d %q %v", code, body, err)
		}
		return nil
	})
	return d
}

// metric adds up the samples of a name that have all the labels, each as `key="value"`.
func (d *daemon) metric(name string, labels ...string) float64 {
	d.t.Helper()
	_, text, err := d.get("/metrics")
	if err != nil {
		d.t.Fatal(err)
	}
	sum := 0.0
lines:
	for line := range strings.Lines(text) {
		rest, is := strings.CutPrefix(line, "fabricbind_"+name)
		if !is || (rest[0] != '{' && rest[0] != ' ') {
			continue
		}
		for _, label := range labels {
			if !strings.Contains(rest, label) {
				continue lines
			}
		}
		fields := strings.Fields(rest)
		value, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		if err != nil {
			d.t.Fatalf("%q: %v", line, err)
		}
		sum += value
	}
	return sum
}

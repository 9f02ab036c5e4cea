// SPDX-License-Identifier: Apache-2.0

package rig

import (
	"context"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Cluster is a control plane without nodes: etcd and kube-apiserver, on loopback. Whoever made it
// stops it.
type Cluster struct {
	Folder string // keys, logs and the state
	URL    string // of the API server

	ports     []int // etcd's for clients and for peers, the API server's
	authority *authority
	admin     *pair
	etcd      *process
	server    *process
}

// New starts a control plane that keeps everything in folder.
func New(folder string) (*Cluster, error) {
	c := &Cluster{Folder: folder}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	if err := errors.Join(c.startEtcd(), c.StartServer()); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) prepare() (err error) {
	if c.ports, err = freePorts(3); err != nil {
		return err
	}
	c.URL = fmt.Sprintf("https://127.0.0.1:%d", c.ports[2])
	if err := writeTokenKeys(c.Folder); err != nil {
		return err
	}
	return c.NewAuthority()
}

// NewAuthority makes a new certificate authority, and of it new certificates for the API server's
// next start and for the administrator. Users that have a certificate lose it.
func (c *Cluster) NewAuthority() (err error) {
	if c.authority, err = newAuthority("cluster"); err != nil {
		return err
	}
	admin := pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}}
	if c.admin, err = c.authority.issue(admin); err != nil {
		return err
	}
	serving, err := c.authority.issue(pkix.Name{CommonName: "kube-apiserver"})
	if err != nil {
		return err
	}
	return writeFiles(c.Folder, map[string][]byte{
		"ca.crt": c.authority.pem(), "server.crt": serving.certificate, "server.key": serving.key,
	})
}

func (c *Cluster) startEtcd() error {
	path, err := Binary(Etcd)
	if err != nil {
		return err
	}
	client, peer := loopback(c.ports[0]), loopback(c.ports[1])
	c.etcd, err = start(c.Folder, Etcd, path, "--name", "e2e",
		"--data-dir", filepath.Join(c.Folder, "state"), "--unsafe-no-fsync", "--log-level", "warn",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "e2e="+peer)
	return err
}

// StartServer starts the API server, the first time or after StopServer, and waits until it is
// ready.
func (c *Cluster) StartServer() error {
	path, err := Binary(APIServer)
	if err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(c.Folder, name) }
	c.server, err = start(c.Folder, APIServer, path,
		"--etcd-servers", loopback(c.ports[0]),
		"--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
		"--secure-port", strconv.Itoa(c.ports[2]),
		"--tls-cert-file", file("server.crt"), "--tls-private-key-file", file("server.key"),
		"--client-ca-file", file("ca.crt"), "--authorization-mode", "RBAC",
		"--service-account-issuer", "https://kubernetes.default.svc",
		"--service-account-key-file", file("sa.pub"),
		"--service-account-signing-key-file", file("sa.key"),
		"--service-cluster-ip-range", "10.96.0.0/16", "--endpoint-reconciler-type", "none",
		"--allow-privileged=true",
		// No controller takes the taint off that this plugin puts on each new node.
		"--disable-admission-plugins", "TaintNodesByCondition")
	if err != nil {
		return err
	}
	return c.awaitReady()
}

func (c *Cluster) awaitReady() error {
	client, err := kubernetes.NewForConfig(c.Admin())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		_, err = client.RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.server.ended:
			return fmt.Errorf("kube-apiserver ended:\n%s", c.server.tail())
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready: %w\n%s", err, c.server.tail())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// StopServer ends the API server alone, as when its machine is gone: told to end, it would wait a
// minute for those who watch. etcd keeps the state.
func (c *Cluster) StopServer() error {
	if c.server != nil {
		c.server.kill()
	}
	return nil
}

// Elsewhere does something with an API server at another address while the usual one is stopped:
// what changes there, nobody is told of.
func (c *Cluster) Elsewhere(do func(admin *rest.Config) error) error {
	url, port := c.URL, c.ports[2]
	other, err := FreePort()
	if err != nil {
		return err
	}
	c.ports[2], c.URL = other, fmt.Sprintf("https://127.0.0.1:%d", other)
	defer func() { c.ports[2], c.URL = port, url }()
	if err := c.StartServer(); err != nil {
		return err
	}
	return errors.Join(do(c.Admin()), c.StopServer())
}

// Authority is the certificate of the authority, PEM.
func (c *Cluster) Authority() []byte {
	return c.authority.pem()
}

// Stop ends everything. The folder stays.
func (c *Cluster) Stop() error {
	return errors.Join(c.StopServer(), c.etcd.stop())
}

// Admin may do everything. The client's own limit of requests is off.
func (c *Cluster) Admin() *rest.Config {
	return &rest.Config{
		Host: c.URL, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: c.authority.pem(), CertData: c.admin.certificate, KeyData: c.admin.key,
		},
	}
}

// Logs are the ends of what the servers said, for the message of a failure.
func (c *Cluster) Logs() string {
	text := ""
	for _, p := range []*process{c.etcd, c.server} {
		if p != nil {
			text += "--- " + p.name + "\n" + p.tail() + "\n"
		}
	}
	return text
}

func loopback(port int) string {
	return fmt.Sprintf("http://127.0.0.1:%d", port)
}

// Temporary starts a control plane in a folder that is removed by the returned function, unless
// keep is set: then its path is told.
func Temporary() (*Cluster, func(keep bool) error, error) {
	folder, err := os.MkdirTemp("", "fabricbind-e2e-")
	if err != nil {
		return nil, nil, err
	}
	c, err := New(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (logs are in %s)", err, folder)
	}
	return c, func(keep bool) error {
		err := c.Stop()
		if keep {
			fmt.Fprintf(os.Stderr, "logs of the control plane are in %s\n", folder)
			return err
		}
		return errors.Join(err, os.RemoveAll(folder))
	}, nil
}

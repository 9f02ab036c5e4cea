// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"io"
	"net"
	"sync"
	"testing"
)

// service is one address before replicas, as a Service of the cluster is: connections go to them in
// turn, and are closed where there is none.
type service struct {
	listener net.Listener

	lock  sync.Mutex
	ports []int
	next  int
	open  map[net.Conn]bool
}

func newService(t *testing.T) *service {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{listener: listener, open: map[net.Conn]bool{}}
	go s.accept()
	t.Cleanup(func() {
		_ = listener.Close()
		s.set()
	})
	return s
}

// URL is what the API server is told.
func (s *service) URL() string {
	return fmt.Sprintf("https://127.0.0.1:%d", s.listener.Addr().(*net.TCPAddr).Port)
}

// set names the replicas that get new connections. Those that are open end, so that what is asked
// next goes to one of these.
func (s *service) set(replicas ...*daemon) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.ports = nil
	for _, replica := range replicas {
		s.ports = append(s.ports, replica.admission)
	}
	for connection := range s.open {
		_ = connection.Close()
	}
}

func (s *service) accept() {
	for {
		connection, err := s.listener.Accept()
		if err != nil {
			return
		}
		go s.serve(connection)
	}
}

func (s *service) serve(client net.Conn) {
	defer client.Close()
	port := s.take()
	if port == 0 {
		return
	}
	replica, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return
	}
	defer replica.Close()
	s.keep(client, replica)
	defer s.drop(client, replica)
	go func() {
		defer client.Close()
		defer replica.Close()
		_, _ = io.Copy(replica, client)
	}()
	_, _ = io.Copy(client, replica)
}

func (s *service) take() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	if len(s.ports) == 0 {
		return 0
	}
	s.next++
	return s.ports[s.next%len(s.ports)]
}

func (s *service) keep(connections ...net.Conn) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, connection := range connections {
		s.open[connection] = true
	}
}

func (s *service) drop(connections ...net.Conn) {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, connection := range connections {
		delete(s.open, connection)
	}
}

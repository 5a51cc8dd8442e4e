package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/loopback"
)

// server is as much of a NATS as requests and publishing use: it hands messages to the
// subscriptions of their subject, and closes the connection of those that ask JetStream.
type server struct {
	change func(payload string) string // on its way

	mu        sync.Mutex
	conns     map[net.Conn]map[string]string // subject to number of a subscription
	published int
}

func honest(payload string) string { return payload }

// start serves connections on a port, the URL of which it returns, until the test is over.
func (s *server) start(t *testing.T) string {
	t.Helper()
	s.conns = map[net.Conn]map[string]string{}

	return "nats://" + loopback.Serve(t, func(conn net.Conn) {
		fmt.Fprintf(conn, "INFO {\"max_payload\":1048576,\"headers\":true}\r\n")
		r := bufio.NewReader(conn)
		var err error
		for err == nil {
			err = s.serve(r, conn)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, conn)
	})
}

func (s *server) serve(r *bufio.Reader, conn net.Conn) error {
	line, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	words := strings.Fields(line)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch words[0] {
	case "PING":
		_, err = io.WriteString(conn, "PONG\r\n")
	case "SUB":
		if s.conns[conn] == nil {
			s.conns[conn] = map[string]string{}
		}
		s.conns[conn][words[1]] = words[len(words)-1]
	case "PUB":
		var size int
		if _, err := fmt.Sscan(words[len(words)-1], &size); err != nil {
			return err
		}
		payload := make([]byte, size+len("\r\n"))
		if _, err := io.ReadFull(r, payload); err != nil {
			return err
		}
		if strings.HasPrefix(words[1], "$JS.") {
			return io.EOF // there is no JetStream
		}
		s.published++
		reply := ""
		if len(words) == 4 {
			reply = words[2]
		}
		s.deliver(words[1], reply, s.change(string(payload[:size])))
	}

	return err
}

func (s *server) deliver(subject, reply, payload string) {
	for conn, subscriptions := range s.conns {
		for to, number := range subscriptions {
			if to == subject || strings.HasSuffix(to, "*") && strings.HasPrefix(subject, to[:len(to)-1]) {
				fmt.Fprintf(conn, "MSG %s %s %s %d\r\n%s\r\n", subject, number, reply, len(payload), payload)
			}
		}
	}
}

func measure(t *testing.T, s *server, work string, more ...string) *crew.Result {
	t.Helper()
	given, err := parse(append([]string{"-url", s.start(t), "-work", work, "-clients", "3", "-ops", "4", "-batch", "5"}, more...)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := prepare(&given)
	if err != nil {
		t.Fatal(err)
	}
	result, err := crew.Run(given.Clients, given.Ops, given.Warmup, p.connect)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}

	return result
}

func TestRequests(t *testing.T) {
	s := &server{change: honest}
	if r := measure(t, s, request); r.Ops != 12 || r.Rows != 12 || r.Err() != nil || s.published != 24 {
		t.Errorf("result is %+v, %v; %d messages", r, r.Err(), s.published)
	}
	s = &server{change: honest}
	if r := measure(t, s, request, "-quiet", "-size", "300000"); r.Rows != 12 || r.Err() != nil || s.published != 24 {
		t.Errorf("over quiet sockets the result is %+v, %v; %d messages", r, r.Err(), s.published)
	}
}

func TestPublishing(t *testing.T) {
	s := &server{change: honest}
	if r := measure(t, s, publish); r.Ops != 12 || r.Rows != 60 || r.Err() != nil || s.published != 60 {
		t.Errorf("result is %+v, %v; %d messages", r, r.Err(), s.published)
	}
}

func TestNoJetStream(t *testing.T) {
	s := &server{change: honest}
	given, err := parse("-url", s.start(t), "-work", put)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := given.Run(); err == nil || !strings.Contains(err.Error(), "the bucket cannot be filled") {
		t.Errorf("error is %v", err)
	}
}

func TestNoServer(t *testing.T) {
	for _, work := range []string{put, request} {
		given, err := parse("-url", "nats://127.0.0.1:1", "-work", work)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := given.Run(); err == nil || !strings.Contains(err.Error(), "cannot connect") {
			t.Errorf("%s: error is %v", work, err)
		}
	}
}

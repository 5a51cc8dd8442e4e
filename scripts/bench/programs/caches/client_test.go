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

// memory is as much of a memcached as the programs use.
type memory struct {
	answer func(value string) (changed string, found bool) // what to say for a value that is there

	mu     sync.Mutex
	values map[string]string
	gets   int // keys that were asked for
	lines  int // requests to get something
}

func honest(value string) (string, bool) { return value, true }

// start serves connections on a port, which it returns, until the test is over.
func (m *memory) start(t *testing.T) string {
	t.Helper()
	m.values = map[string]string{}

	return loopback.Serve(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		var err error
		for err == nil {
			err = m.serve(r, conn)
		}
	})
}

func (m *memory) serve(r *bufio.Reader, w io.Writer) error {
	line, err := r.ReadString('\n')
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	words := strings.Fields(line)
	switch words[0] {
	case "version":
		_, err = io.WriteString(w, "VERSION 1.6.0\r\n")
	case "set":
		var length int
		if _, err := fmt.Sscan(words[4], &length); err != nil {
			return err
		}
		value := make([]byte, length+len("\r\n"))
		if _, err := io.ReadFull(r, value); err != nil {
			return err
		}
		m.values[words[1]] = string(value[:length])
		_, err = io.WriteString(w, "STORED\r\n")
	default:
		m.lines++
		var answer strings.Builder
		for _, key := range words[1:] {
			m.gets++
			if value, found := m.answer(m.values[key]); found {
				fmt.Fprintf(&answer, "VALUE %s 0 %d", key, len(value))
				if words[0] == "gets" {
					answer.WriteString(" 1")
				}
				fmt.Fprintf(&answer, "\r\n%s\r\n", value)
			}
		}
		_, err = io.WriteString(w, answer.String()+"END\r\n")
	}
	return err
}

func measure(t *testing.T, m *memory, library, get string) *crew.Result {
	t.Helper()
	s, err := parse("-addr", m.start(t), "-client", library, "-get", get, "-clients", "3", "-ops", "4", "-batch", "5")
	if err != nil {
		t.Fatal(err)
	}
	r, err := crew.Run(s.Clients, s.Ops, s.Warmup, s.connect)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryWayOfGetting(t *testing.T) {
	for _, c := range []struct {
		library, get string
		keys, lines  int // of 12 operations
	}{
		{"wire", one, 12, 12},
		{"wire", multi, 60, 12},
		{"wire", pipeline, 60, 60},
		{"gomemcache", one, 12, 12},
		{"gomemcache", multi, 60, 12},
	} {
		t.Run(c.library+" "+c.get, func(t *testing.T) {
			m := &memory{answer: honest}
			r := measure(t, m, c.library, c.get)
			if r.Ops != 12 || r.Err() != nil || r.Rows != int64(c.keys) {
				t.Errorf("result is %+v, %v", r, r.Err())
			}
			if m.gets != c.keys || m.lines != c.lines || len(m.values) != count {
				t.Errorf("asked for %d keys in %d requests, %d written", m.gets, m.lines, len(m.values))
			}
			if got := m.values["key:000000000042"]; len(got) != size {
				t.Errorf("a value is %q", got)
			}
		})
	}
}

func TestMissesAndWrongValuesAreFailures(t *testing.T) {
	for _, library := range []string{"wire", "gomemcache"} {
		for _, get := range []string{one, multi, pipeline} {
			if library == "gomemcache" && get == pipeline {
				continue
			}
			for name, answer := range map[string]func(string) (string, bool){
				"a miss":        func(string) (string, bool) { return "", false },
				"another value": func(value string) (string, bool) { return strings.ToUpper(value), true },
				"a shorter one": func(value string) (string, bool) { return value[1:], true },
			} {
				if r := measure(t, &memory{answer: answer}, library, get); r.Failed != 12 || r.Rows != 0 {
					t.Errorf("%s, %s, %s: %d failed, %d rows", library, get, name, r.Failed, r.Rows)
				}
			}
		}
	}
}

func TestNoServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for library := range libraries {
		s := settings{address: address, client: library, batch: 1, get: one}
		if _, err := crew.Run(1, 1, 0, s.connect); err == nil || !strings.Contains(err.Error(), address) {
			t.Errorf("%s: error is %v", library, err)
		}
	}
}

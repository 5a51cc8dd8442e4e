package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// asked are the keys that a server was asked for.
type asked struct {
	mu   sync.Mutex
	gets map[string]int
	sets int
}

var key = regexp.MustCompile(`key:\d{12}`)

// start serves connections on a port, which it returns, until the test is over. It answers as the
// server does.
func (a *asked) start(t *testing.T, kind *traffic) (host, port string) {
	t.Helper()
	a.gets = map[string]int{}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for a.serve(r, conn, kind) {
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		work.Wait()
	})
	host, port, err = net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return host, port
}

func (a *asked) serve(r *bufio.Reader, conn net.Conn, kind *traffic) bool {
	var request strings.Builder
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return false
		}
		request.WriteString(line)
		text := request.String()
		named := key.FindString(text)
		a.mu.Lock()
		switch {
		case named == "":
		case len(text) == len(kind.get) && strings.HasPrefix(text, kind.get[:kind.digits]):
			a.gets[named]++
			a.mu.Unlock()
			_, err = fmt.Fprint(conn, kind.answer)
			return err == nil
		case strings.HasSuffix(text, strings.Repeat("x", size)+"\r\n"):
			a.sets++
			a.mu.Unlock()
			_, err = fmt.Fprint(conn, kind.stored)
			return err == nil
		}
		a.mu.Unlock()
	}
}

func TestSameBytesInGoAndC(t *testing.T) {
	epoll := filepath.Join(t.TempDir(), "epoll")
	if out, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", epoll, "c/epoll.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, kind := range servers {
		t.Run(name, func(t *testing.T) {
			var a asked
			host, port := a.start(t, kind)
			s, err := parseFlags([]string{"-server", name, "-addr", net.JoinHostPort(host, port), "-clients", "3", "-ops", "40"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := crew.Run(s.clients, s.ops, s.warmup, s.connect)
			if err != nil || r.Ops != 120 || r.Rows != 120 || r.Err() != nil || a.sets != keys {
				t.Fatalf("result is %+v, %v, %d keys written", r, err, a.sets)
			}
			a.counts(t, 120)

			var a2 asked
			host, port = a2.start(t, kind)
			out, err := exec.Command(epoll, name, host, port, "3", "40", "0").CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var printed crew.Result
			if err := json.Unmarshal(out, &printed); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if printed.Ops != 120 || printed.Clients != 3 || printed.OpsPerSecond <= 0 || printed.P99Ms < printed.P50Ms || printed.P50Ms <= 0 ||
				printed.P99Ms > printed.Seconds*1100 || printed.ClientSpread <= 0 || printed.ClientSpread > 1 {
				t.Errorf("it printed %s", out)
			}
			a2.counts(t, 120)
		})
	}
}

// counts holds that so many gets came, of keys that are drawn from all.
func (a *asked) counts(t *testing.T, want int) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	all := 0
	for name, n := range a.gets {
		all += n
		if name >= "key:000000010000" {
			t.Errorf("key %s was asked for", name)
		}
	}
	if all != want || len(a.gets) < want/2 {
		t.Errorf("%d gets of %d keys, want %d", all, len(a.gets), want)
	}
}

func TestFlagsRefused(t *testing.T) {
	for says, args := range map[string][]string{
		`-server is "nats", want memcached or redis`: {"-server", "nats"},
		"no server: give -addr":                      nil,
		"-clients is 0, want at least 1":             {"-addr", "x:1", "-clients", "0"},
		"-ops is 0, want at least 1":                 {"-addr", "x:1", "-ops", "0"},
		"-warmup is -1s, want 0 or more":             {"-addr", "x:1", "-warmup", "-1s"},
		`unexpected argument "x"`:                    {"x"},
	} {
		if _, err := parseFlags(args); err == nil || err.Error() != says {
			t.Errorf("%v: error is %v, want %s", args, err, says)
		}
	}
}

func TestNoServer(t *testing.T) {
	if _, err := (settings{server: "redis", address: "127.0.0.1:1"}).connect(0); err == nil || !strings.Contains(err.Error(), "cannot connect") {
		t.Errorf("error is %v", err)
	}
}

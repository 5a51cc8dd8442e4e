package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/loopback"
)

// asked are the keys that a server was asked for.
type asked struct {
	mu   sync.Mutex
	gets map[string]int
	sets int
}

var key = regexp.MustCompile(`key:\d{12}`)

// start serves connections on an address, which it returns, until the test is over. It answers as
// the cache does.
func (a *asked) start(t *testing.T, kind *traffic) string {
	t.Helper()
	a.gets = map[string]int{}

	return loopback.Serve(t, func(conn net.Conn) {
		r := bufio.NewReader(conn)
		for a.serve(r, conn, kind) {
		}
	})
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

// floorMain is set where the test's program is to be the floor itself.
const floorMain = "BENCH_FLOOR_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(floorMain) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// inC runs the floor with the engine in C, and returns what it prints.
func inC(t *testing.T, args ...string) crew.Result {
	t.Helper()
	epoll := filepath.Join(t.TempDir(), "epoll")
	if out, err := exec.Command("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", epoll, "c/epoll.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(os.Args[0], append(args, "-epoll", epoll)...)
	cmd.Env = append(os.Environ(), floorMain+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var printed crew.Result
	if err := json.Unmarshal(out, &printed); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	return printed
}

func TestSameBytesInGoAndC(t *testing.T) {
	for name, kind := range caches {
		t.Run(name, func(t *testing.T) {
			var a asked
			args := []string{"-server", name, "-clients", "3", "-ops", "40"}
			s, err := parseFlags(append(args, "-addr", a.start(t, kind)), os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run()
			if err != nil || r.Ops != 120 || r.Rows != 120 || r.Err() != nil || a.sets != keys {
				t.Fatalf("result is %+v, %v, %d keys written", r, err, a.sets)
			}
			a.counts(t, 120)

			var a2 asked
			printed := inC(t, append(args, "-addr", a2.start(t, kind))...)
			if printed.Ops != 120 || printed.Clients != 3 || printed.OpsPerSecond <= 0 || printed.P99Ms < printed.P50Ms || printed.P50Ms <= 0 ||
				printed.P99Ms > printed.Seconds*1100 || printed.ClientSpread <= 0 || printed.ClientSpread > 1 {
				t.Errorf("it printed %+v", printed)
			}
			a2.counts(t, 120)
		})
	}
}

// The floor of NATS introduces itself, learns how long the answer is, and then sends the same but
// for the key.
func TestFloorOfNats(t *testing.T) {
	value := strings.Repeat("x", size)
	for work, want := range map[string]struct {
		request, answer string
		// messages are those of an operation, and keys tells that each has a key of its own.
		messages int
		keys     bool
	}{
		get: {`^PUB \$JS\.API\.DIRECT\.GET\.KV_natsjs-kv-floor-orb\.\$KV\.natsjs-kv-floor-orb\.NNSXSORQGAYDAMBQGAYD\d{12} _INBOX\.\w+\.12345678 0\r\n$`,
			"HMSG inbox 1 10 110\r\nNATS/1.0\r\n\r\n" + value + "\r\n", 1, true},
		put:     {`^PUB \$KV\.natsjs-kv-floor-orb\.NNSXSORQGAYDAMBQGAYD\d{12} _INBOX\.\w+\.12345678 100\r\n$`, "MSG inbox 1 16\r\n{\"seq\":10000000}\r\n", 1, true},
		request: {`^PUB (_INBOX\.\w+\.12345678) (_INBOX\.\w+\.12345678) 100\r\n$`, "MSG inbox 1 inbox 100\r\n" + value + "\r\n", 2, false},
	} {
		t.Run(work, func(t *testing.T) {
			asked := make(chan string, 10)
			conn, err := dial(loopback.Serve(t, func(conn net.Conn) { serveNats(conn, want.answer, asked) }))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			x, err := introduce(conn, work)
			if err != nil || x.answer != len(want.answer) {
				t.Fatalf("exchange is %+v, error %v, want an answer of %d bytes", x, err, len(want.answer))
			}
			c := &client{exchange: x, conn: conn, room: make([]byte, x.answer), random: rand.New(rand.NewPCG(1, 2))}
			for range 2 {
				if n, err := c.Operation(); n != 1 || err != nil {
					t.Fatalf("%d, error %v", n, err)
				}
			}
			if got := <-asked; got != "PONG\r\n" {
				t.Errorf("it answers a ping by %q", got)
			}
			sent := map[string]bool{}
			all, different := 1+2*want.messages, 1
			if want.keys {
				different = all
			}
			for range all {
				line := <-asked
				if !regexp.MustCompile(want.request).MatchString(line) {
					t.Errorf("it sends %q, want %s", line, want.request)
				}
				sent[line] = true
			}
			if len(sent) != different {
				t.Errorf("it sends %d different lines, want %d of %d", len(sent), different, all)
			}
		})
	}
}

// serveNats answers each message with the same, and tells what lines came.
func serveNats(conn net.Conn, answer string, asked chan<- string) {
	r := bufio.NewReader(conn)
	fmt.Fprint(conn, "INFO {}\r\n")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		switch word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word {
		case "PING":
			fmt.Fprint(conn, "PONG\r\nINFO {}\r\nPING\r\n")
		case "PONG":
			asked <- line
		case "PUB":
			asked <- line
			fmt.Fprint(conn, answer)
		}
	}
}

// What is recorded is what one exchange needs: how much was sent and came, and in how many turns.
func TestRecorderCountsTurns(t *testing.T) {
	conn, err := dial(loopback.Serve(t, func(conn net.Conn) { _, _ = io.Copy(conn, conn) }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := &recorder{Conn: conn}
	// The client reads and writes sockets by calls of its own where it can: past a recorder that
	// shows its socket.
	if _, shows := net.Conn(r).(syscall.Conn); shows {
		t.Error("the recorder shows its socket")
	}
	for i, texts := range [][]string{{"a", "bc"}, {"def"}} {
		room := make([]byte, 3)
		for _, text := range texts {
			if _, err := io.WriteString(r, text); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := io.ReadFull(r, room); err != nil {
			t.Fatal(err)
		}
		if r.turns != i+1 || r.received != 3*(i+1) || len(r.sent) != r.received {
			t.Errorf("after %q: %d turns, %d sent, %d received", texts, r.turns, len(r.sent), r.received)
		}
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
		`-server is "mysql", want memcached, redis, machbase or nats`:   {"-server", "mysql"},
		`-work is "put", want get, or put or request with -server nats`: {"-work", "put", "-addr", "x:1"},
		"no server: give -addr or set MEMCACHED_URL":                    nil,
		"-clients is 0, want at least 1":                                {"-addr", "x:1", "-clients", "0"},
	} {
		if _, err := parseFlags(args, func(string) string { return "" }); err == nil || err.Error() != says {
			t.Errorf("%v: error is %v, want %s", args, err, says)
		}
	}
}

func TestNoServer(t *testing.T) {
	for _, server := range []string{"redis", "nats", "machbase"} {
		s := settings{server: server, address: "machbase://a:b@127.0.0.1:1"}
		if _, err := s.connect(0); err == nil || strings.Contains(err.Error(), "a:b") {
			t.Errorf("%s: error is %v", server, err)
		}
	}
}

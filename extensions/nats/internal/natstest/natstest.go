// Package natstest provides real nats-servers for tests: one that scripts/servers.sh has started,
// or new ones.
package natstest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const patience = 20 * time.Second

//nolint:gochecknoglobals // all tests of a package share it
var shared struct {
	mu     sync.Mutex
	folder string // folder for configuration and streams, created by Main
	server *Server
}

// Main runs the tests of a package, ends their shared server, and returns the exit code.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "natstest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	shared.folder = folder
	code := m.Run()
	if shared.server != nil {
		shared.server.Kill()
	}

	return code
}

// URL returns the address of the server that the tests share: NATS_URL, or one that the first test
// starts.
func URL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("NATS_URL"); url != "" {
		return url
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server == nil {
		if shared.folder == "" {
			tb.Fatal("TestMain of this package does not call natstest.Main")
		}
		server := newServer(tb, shared.folder, "max_payload: 8388608")
		server.Restart(tb)
		shared.server = server
	}

	return shared.server.URL
}

// Server is a nats-server.
type Server struct {
	// URL is the client URL, and Addr its host and port.
	URL, Addr string
	// Streams is the folder of the streams.
	Streams string

	program string
	file    string // configuration file
	cmd     *exec.Cmd
}

// Start starts a server for one test, with JetStream and additional configuration.
func Start(tb testing.TB, configuration string) *Server {
	tb.Helper()
	s := newServer(tb, tb.TempDir(), configuration)
	tb.Cleanup(s.Kill)
	s.Restart(tb)

	return s
}

func newServer(tb testing.TB, folder, configuration string) *Server {
	tb.Helper()
	program, err := program()
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close()
	streams := filepath.Join(folder, "jetstream", "$G", "streams")
	// nats-server 2.15.2 removes this folder when it is empty, even while another test creates a
	// stream in it. This file system entry keeps it.
	if err := os.MkdirAll(filepath.Join(streams, "kept"), 0o700); err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(folder, "conf")
	content := fmt.Sprintf("listen: %q\njetstream { store_dir: %q }\n%s\n", addr, folder, configuration)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}

	return &Server{URL: "nats://" + addr, Addr: addr, Streams: streams, program: program, file: file}
}

// Restart starts the server at the same address after Kill.
func (s *Server) Restart(tb testing.TB) {
	tb.Helper()
	s.cmd = exec.Command(s.program, "--config", s.file)
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			_ = conn.Close()

			return
		}
		if time.Now().After(deadline) {
			s.Kill()
			tb.Fatal("nats-server did not start: ", err)
		}
	}
}

// Kill kills the server.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
}

// Process returns the server's process, until Kill.
func (s *Server) Process() *os.Process { return s.cmd.Process }

// program is the program of the process NATS_PID, or the nats-server that scripts/servers.sh
// compiles from scripts/tools/nats-server.
//
//nolint:gochecknoglobals // a function that is called once
var program = sync.OnceValues(func() (string, error) {
	if pid := os.Getenv("NATS_PID"); pid != "" {
		return os.Readlink("/proc/" + pid + "/exe")
	}
	module, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/xk6-sweep/xk6-sweep").Output()
	if err != nil {
		return "", err
	}
	script := filepath.Join(strings.TrimSpace(string(module)), "scripts", "servers.sh")
	path, err := exec.Command(script, "build", "nats").Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}

	return strings.TrimSpace(string(path)), err
})

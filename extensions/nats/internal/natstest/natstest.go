// Package natstest gives the tests of NATS a real nats-server: the one that scripts/servers.sh has
// started, or one of their own.
package natstest

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a server may take to start.
const patience = 20 * time.Second

// shared is the server that the tests of a package share. It is nil until one asks for it.
var shared struct {
	mu     sync.Mutex
	server *Server
}

// Main runs the tests of a package, and ends the server that they share. It returns the exit code.
func Main(m *testing.M) int {
	folder, err := os.MkdirTemp("", "natstest")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 1
	}
	defer os.RemoveAll(folder)
	sharedFolder = folder
	code := m.Run()
	if shared.server != nil {
		shared.server.Kill()
	}

	return code
}

// sharedFolder is where the server that tests share keeps its streams.
var sharedFolder string

// URL is the address of the server that the tests of a package share: NATS_URL, or one that the
// first of them starts.
func URL(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("NATS_URL"); url != "" {
		return url
	}
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.server == nil {
		if sharedFolder == "" {
			t.Fatal("TestMain of this package does not call natstest.Main")
		}
		server := newServer(t, sharedFolder, "max_payload: 8388608")
		server.Restart(t)
		shared.server = server
	}

	return shared.server.URL
}

// Server is a nats-server.
type Server struct {
	// URL is where clients connect to, and Addr its host and port.
	URL, Addr string

	program string
	file    string // of its configuration
	cmd     *exec.Cmd
}

// Start starts a server of a test's own, with JetStream and further configuration.
func Start(t testing.TB, configuration string) *Server {
	t.Helper()
	s := newServer(t, t.TempDir(), configuration)
	t.Cleanup(s.Kill)
	s.Restart(t)

	return s
}

func newServer(t testing.TB, folder, configuration string) *Server {
	t.Helper()
	program, err := program()
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	_ = listener.Close() // for the server
	file := filepath.Join(folder, "conf")
	content := fmt.Sprintf("listen: %q\njetstream { store_dir: %q }\n%s\n", addr, folder, configuration)
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}

	return &Server{URL: "nats://" + addr, Addr: addr, program: program, file: file}
}

// Restart starts it, at the same address after Kill.
func (s *Server) Restart(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(s.program, "--config", s.file)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			_ = conn.Close()

			return
		}
		if time.Now().After(deadline) {
			s.Kill()
			t.Fatal("nats-server did not start: ", err)
		}
	}
}

// Kill ends it as a crash would.
func (s *Server) Kill() {
	if s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()         // it was killed
	s.cmd = nil
}

// Process is the server's process, until Kill.
func (s *Server) Process() *os.Process { return s.cmd.Process }

// program is that of the server that runs as NATS_PID, or the one that scripts/servers.sh compiles
// once from the module in scripts/tools/nats-server.
var program = sync.OnceValues(func() (string, error) {
	if pid := os.Getenv("NATS_PID"); pid != "" {
		return os.Readlink("/proc/" + pid + "/exe")
	}
	_, file, _, _ := runtime.Caller(0)
	script := filepath.Join(filepath.Dir(file), "../../../../scripts/servers.sh")
	path, err := exec.Command(script, "build", "nats").Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}

	return strings.TrimSpace(string(path)), err
})

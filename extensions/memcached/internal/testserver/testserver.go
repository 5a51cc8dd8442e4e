// Package testserver starts real and fake memcached servers for tests.
package testserver

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"os/user"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/standstill"
)

const hint = "run scripts/servers.sh with memcached -- go test ./memcached/..."

// Addr returns the address of the memcached that all tests share. Without one, the test fails.
func Addr(tb testing.TB) string {
	tb.Helper()
	addr := os.Getenv("MEMCACHED_URL")
	if addr == "" {
		tb.Fatal("MEMCACHED_URL is not set; " + hint)
	}

	return addr
}

// Server is a memcached of one test.
type Server struct {
	Addr string // host:port, or the path of the socket

	tb   testing.TB
	args []string
	cmd  *exec.Cmd
}

// Start starts a memcached with additional arguments on a free port.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	addr := listener.Addr().String()
	require.NoError(tb, listener.Close())
	host, port, err := net.SplitHostPort(addr)
	require.NoError(tb, err)

	return start(tb, addr, append([]string{"-l", host, "-p", port}, args...))
}

// StartAtSocket starts a memcached that listens at a unix socket.
func StartAtSocket(tb testing.TB, path string, args ...string) *Server {
	tb.Helper()

	return start(tb, path, append([]string{"-s", path}, args...))
}

func start(tb testing.TB, addr string, args []string) *Server {
	tb.Helper()
	s := &Server{Addr: addr, tb: tb, args: args}
	tb.Cleanup(s.Kill)
	s.Restart()

	return s
}

// Restart starts the server at the same address after Kill.
func (s *Server) Restart() {
	s.tb.Helper()
	program, environment := program(s.tb)
	current, err := user.Current()
	require.NoError(s.tb, err)
	s.cmd = exec.Command(program, append(slices.Clone(s.args), "-U", "0", "-u", current.Username)...)
	s.cmd.Env = environment
	var said bytes.Buffer
	s.cmd.Stderr = &said
	require.NoError(s.tb, s.cmd.Start())

	network := "tcp"
	if strings.Contains(s.Addr, "/") {
		network = "unix"
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial(network, s.Addr)
		if err == nil {
			require.NoError(s.tb, conn.Close())

			return
		}
		if time.Now().After(deadline) {
			s.Kill()
			s.tb.Fatalf("memcached did not start: %s %s", err, said.String())
		}
	}
}

// Kill kills the server.
func (s *Server) Kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	s.cmd = nil
}

// Stop suspends the server: it accepts connections and answers nothing. Kill still works.
func (s *Server) Stop() {
	s.tb.Helper()
	require.NoError(s.tb, standstill.Stop(s.cmd.Process))
}

// Continue ends Stop.
func (s *Server) Continue() {
	s.tb.Helper()
	require.NoError(s.tb, standstill.Continue(s.cmd.Process))
}

func program(tb testing.TB) (path string, environment []string) {
	tb.Helper()
	if path, err := exec.LookPath("memcached"); err == nil {
		return path, os.Environ()
	}
	pid := os.Getenv("MEMCACHED_PID")
	if pid == "" {
		tb.Fatal("there is no memcached in PATH, and MEMCACHED_PID is not set; " + hint)
	}
	path, err := os.Readlink("/proc/" + pid + "/exe")
	require.NoError(tb, err, "MEMCACHED_PID")
	raw, err := os.ReadFile("/proc/" + pid + "/environ") //nolint:gosec // the pid comes from servers.sh
	require.NoError(tb, err, "MEMCACHED_PID")

	return path, strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}

package testutil

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Server is a server process of one test.
type Server struct {
	Addr string // host:port, or the path of a unix socket

	tb      testing.TB
	program program
	args    []string
	ready   func() error
	cmd     *exec.Cmd
}

// program is the path of an executable and its environment.
type program struct {
	path        string
	environment []string
}

// start starts the server, and kills it at the end of the test.
func (s *Server) start() *Server {
	s.tb.Helper()
	s.tb.Cleanup(s.Kill)
	s.Restart()

	return s
}

// Restart starts the server again after Kill, with the same address and data.
func (s *Server) Restart() {
	s.tb.Helper()
	s.cmd = exec.Command(s.program.path, s.args...)
	s.cmd.Env = s.program.environment
	var output bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &output, &output
	require.NoError(s.tb, s.cmd.Start())

	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		err := s.ready()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			s.Kill()
			s.tb.Fatalf("%s did not start: %s %s", s.program.path, err, output.String())
		}
	}
}

// Kill kills the process.
func (s *Server) Kill() {
	if s.cmd == nil || s.cmd.Process == nil {
		return
	}
	_ = s.cmd.Process.Kill() // may have exited
	_ = s.cmd.Wait()
	s.cmd = nil
}

// Stop pauses the process. It accepts connections but does not answer. Kill still works.
func (s *Server) Stop() {
	s.tb.Helper()
	require.NoError(s.tb, Stop(s.cmd.Process))
}

// Continue ends Stop.
func (s *Server) Continue() {
	s.tb.Helper()
	require.NoError(s.tb, Continue(s.cmd.Process))
}

// dial connects to the server once.
func (s *Server) dial() error {
	network := "tcp"
	if strings.Contains(s.Addr, "/") {
		network = "unix"
	}
	conn, err := net.Dial(network, s.Addr)
	if err != nil {
		return err
	}

	return conn.Close()
}

// freeAddr returns a free host:port of this machine.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	require.NoError(tb, listener.Close())

	return listener.Addr().String()
}

// sharedAddr returns the address of a server that scripts/servers.sh has started for all tests.
func sharedAddr(tb testing.TB, variable, server string) string {
	tb.Helper()
	addr := os.Getenv(variable)
	if addr == "" {
		tb.Fatalf("%s is not set: run scripts/servers.sh with %s -- go test", variable, server)
	}

	return addr
}

// findProgram finds a server in PATH, or else as the process whose number scripts/servers.sh put
// into a variable.
func findProgram(tb testing.TB, name, variable, server string) program {
	tb.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return program{path, os.Environ()}
	}
	pid := sharedAddr(tb, variable, server)
	path, err := os.Readlink("/proc/" + pid + "/exe")
	require.NoError(tb, err, variable)
	raw, err := os.ReadFile("/proc/" + pid + "/environ")
	require.NoError(tb, err, variable)

	return program{path, strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")}
}

// Package influxtest starts InfluxDB 1 servers for tests and queries them.
package influxtest

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/standstill"
)

const hint = "run scripts/servers.sh with influxdb -- go test ./influx/..."

// URL returns the address and database of the tests' shared InfluxDB. The test fails without one.
func URL(tb testing.TB) string {
	tb.Helper()
	address := os.Getenv("INFLUXDB_URL")
	if address == "" {
		tb.Fatal("INFLUXDB_URL is not set; " + hint)
	}

	return address
}

// Server is a private InfluxDB server.
type Server struct {
	Address string // http://host:port

	tb     testing.TB
	config string // configuration file
	cmd    *exec.Cmd
}

// Start starts an InfluxDB. http are lines for its section [http], such as "auth-enabled = true".
func Start(tb testing.TB, http ...string) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	address := listener.Addr().String()
	require.NoError(tb, listener.Close())

	dir := tb.TempDir()
	s := &Server{Address: "http://" + address, tb: tb, config: filepath.Join(dir, "influxdb.conf")}
	settings := fmt.Sprintf(`reporting-enabled = false
bind-address = "127.0.0.1:0"
[meta]
  dir = "%[1]s/meta"
[data]
  dir = "%[1]s/data"
  wal-dir = "%[1]s/wal"
[monitor]
  store-enabled = false
[http]
  bind-address = "%[2]s"
  log-enabled = false
  %[3]s
`, dir, address, strings.Join(http, "\n  "))
	require.NoError(tb, os.WriteFile(s.config, []byte(settings), 0o600))
	tb.Cleanup(s.Kill)
	s.Restart()

	return s
}

// Restart starts the server again after Kill, with the same address and data.
func (s *Server) Restart() {
	s.tb.Helper()
	path, environment := program(s.tb)
	s.cmd = exec.Command(path, "-config", s.config)
	s.cmd.Env = environment
	var said bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &said, &said
	require.NoError(s.tb, s.cmd.Start())

	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(s.Address + "/ping")
		if err == nil {
			require.NoError(s.tb, response.Body.Close())

			return
		}
		if time.Now().After(deadline) {
			s.Kill()
			s.tb.Fatalf("influxd did not start: %s %s", err, said.String())
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

// Stop suspends the process. It accepts connections but does not answer. Kill still works.
func (s *Server) Stop() {
	s.tb.Helper()
	require.NoError(s.tb, standstill.Stop(s.cmd.Process))
}

func program(tb testing.TB) (path string, environment []string) {
	tb.Helper()
	if path, err := exec.LookPath("influxd"); err == nil {
		return path, os.Environ()
	}
	pid := os.Getenv("INFLUXDB_PID")
	if pid == "" {
		tb.Fatal("there is no influxd in PATH, and INFLUXDB_PID is not set; " + hint)
	}
	path, err := os.Readlink("/proc/" + pid + "/exe")
	require.NoError(tb, err, "INFLUXDB_PID")
	raw, err := os.ReadFile("/proc/" + pid + "/environ") //nolint:gosec // the number is servers.sh's
	require.NoError(tb, err, "INFLUXDB_PID")

	return path, strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
}

package e2e

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/standstill"
)

// ownServer is a Machbase of one test, which the test may stop and kill.
type ownServer struct {
	url     string
	port    int
	process *os.Process
	start   func() (*os.Process, error)
}

// startServer starts a Machbase of the test's own.
func startServer(t *testing.T) *ownServer {
	t.Helper()
	dir := t.TempDir()
	port := freePort(t)
	arg := func(name, path string) []string { return []string{"--" + name, filepath.Join(dir, path)} }
	args := []string{"serve-headless", "--host", "127.0.0.1", "--mach-port", fmt.Sprint(port)}
	args = append(args, arg("data", "data")...)
	args = append(args, arg("pref", "pref")...)
	args = append(args, arg("file", "file")...)
	args = append(args, arg("backup-dir", "backup")...)
	args = append(args, arg("pid", "pid")...)
	args = append(args, arg("log-filename", "log")...)
	for _, folder := range []string{"data", "pref", "file", "backup"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	}
	s := &ownServer{url: fmt.Sprintf("machbase://sys:%s@127.0.0.1:%d", password, port), port: port}
	binary := builtServer(t, "machbase")
	s.start = func() (*os.Process, error) {
		cmd := exec.Command(binary, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
		err := cmd.Start()

		return cmd.Process, err
	}
	process, err := s.start()
	require.NoError(t, err)
	s.process = process
	t.Cleanup(func() {
		s.end()
		_ = os.Remove(fmt.Sprintf("/tmp/machbase-unix-%d.sock", port)) // the server's own choice of a place
	})

	eventually(t, "the server does not start", func() bool { return answers(port) })

	return s
}

// end kills it, and waits until it has gone.
func (s *ownServer) end() {
	_ = s.process.Kill()
	_, _ = s.process.Wait()
}

// answers tells whether a Machbase greets at the port.
func answers(port int) bool {
	conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("CMI_INET0")); err != nil {
		return false
	}
	greeting := make([]byte, len("CMI_READY"))
	_, err = conn.Read(greeting)

	return err == nil && string(greeting) == "CMI_READY"
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()

	return listener.Addr().(*net.TCPAddr).Port
}

func freeAddress(t *testing.T) string {
	t.Helper()

	return fmt.Sprintf("127.0.0.1:%d", freePort(t))
}

// kill ends it as a crash would.
func (s *ownServer) kill(t *testing.T) {
	t.Helper()
	assert.NoError(t, s.process.Kill())
}

// stop makes it stand still: it takes connections and answers nothing.
func (s *ownServer) stop(t *testing.T) {
	t.Helper()
	assert.NoError(t, standstill.Stop(s.process))
}

// goOn ends stop. A Machbase that has stood still dies of that now and then, on a busy machine, and
// is started again then, as whatever looks after a server would.
func (s *ownServer) goOn(t *testing.T) {
	t.Helper()
	assert.NoError(t, standstill.Continue(s.process))
	for range 5 {
		if time.Sleep(time.Second); !answers(s.port) {
			s.end()
			process, err := s.start()
			if !assert.NoError(t, err) {
				return
			}
			s.process = process
			assert.Eventually(t, func() bool { return answers(s.port) }, hang, 10*time.Millisecond, "the server does not start again")

			return
		}
	}
}

// ownRedis starts a Redis of a test's own, which the test may change and whose calls it may count.
// It returns the variables that name it.
func ownRedis(t *testing.T) map[string]string {
	t.Helper()
	servers := func(verb ...string) string {
		cmd := exec.Command(filepath.Join(root, "scripts/servers.sh"), verb...)
		cmd.Env = append(os.Environ(), fmt.Sprintf("SERVERS_ROOM=%s-%d", t.Name(), os.Getpid()))
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, said.String())

		return string(out)
	}
	t.Cleanup(func() { servers("down", "redis") })
	servers("up", "redis")
	env := map[string]string{}
	for line := range strings.Lines(servers("env")) {
		name, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		require.True(t, found, line)
		env[name] = value
	}
	require.Len(t, env, 2, "REDIS_URL and REDIS_PID")

	return env
}

// connServer is the address of a server that serves each connection on a goroutine of its own, and
// then closes it.
func connServer(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()

	return listener.Addr().String()
}

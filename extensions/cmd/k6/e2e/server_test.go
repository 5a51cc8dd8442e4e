package e2e

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type ownServer struct{ url string }

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
	cmd := exec.Command(builtServer(t, "machbase"), args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		_ = os.Remove(fmt.Sprintf("/tmp/machbase-unix-%d.sock", port)) // the server always puts it there
	})

	eventually(t, "the server does not start", func() bool { return answers(port) })

	return &ownServer{url: fmt.Sprintf("machbase://sys:%s@127.0.0.1:%d", password, port)}
}

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

// latency is what a door adds to each request, so that clients in a closed loop leave processor
// time to other tests.
const latency = 5 * time.Millisecond

func slowed(t *testing.T, address string) string {
	t.Helper()
	if strings.Contains(address, "://") {
		return doorTo(t, address).url
	}

	return strings.TrimPrefix(doorTo(t, "tcp://"+address).url, "tcp://")
}

// door is a proxy to a server, Machbase or another one: a test can close or break it without
// affecting other tests.
type door struct {
	url      string
	listener net.Listener
	mu       sync.RWMutex // held for writing while the door is closed
	conns    sync.Map
}

func newDoor(t *testing.T) *door {
	t.Helper()

	return doorTo(t, serverURL(t))
}

func doorTo(t *testing.T, address string) *door {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	server := parsed.Host
	d := &door{}
	d.listener, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(d.destroy)
	parsed.Host = d.listener.Addr().String()
	d.url = parsed.String()
	go func() {
		for {
			client, err := d.listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial("tcp", server)
			if err != nil {
				_ = client.Close()

				continue
			}
			d.conns.Store(client, nil)
			d.conns.Store(to, nil)
			go d.pass(to, client, latency)
			go d.pass(client, to, 0)
		}
	}()

	return d
}

func (d *door) pass(to, from net.Conn, latency time.Duration) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		time.Sleep(latency)
		d.mu.RLock()
		_, err = to.Write(buffer[:n])
		d.mu.RUnlock()
		if err != nil {
			return
		}
	}
}

// closed calls fn while the server accepts connections but does not answer.
func (d *door) closed(fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
}

// destroy breaks all connections and refuses new ones, like a killed server.
func (d *door) destroy() {
	_ = d.listener.Close()
	d.conns.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()

		return true
	})
}

// ownRedis starts a Redis that the test may change and whose calls it may count. It returns its
// variables.
func ownRedis(t *testing.T) map[string]string {
	t.Helper()

	return ownStore(t, "redis")
}

func ownStore(t *testing.T, name string, settings ...string) map[string]string {
	t.Helper()
	servers := func(verb ...string) string {
		cmd := exec.Command(filepath.Join(root, "scripts/servers.sh"), verb...)
		room := strings.ReplaceAll(t.Name(), "/", "-")
		cmd.Env = append(append(os.Environ(), fmt.Sprintf("SERVERS_ROOM=%s-%d", room, os.Getpid())), settings...)
		var said strings.Builder
		cmd.Stderr = &said
		out, err := cmd.Output()
		require.NoError(t, err, said.String())

		return string(out)
	}
	t.Cleanup(func() { servers("down", name) })
	servers("up", name)
	env := map[string]string{}
	for line := range strings.Lines(servers("env")) {
		variable, value, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		require.True(t, found, line)
		env[variable] = strings.ReplaceAll(value, `\`, "") // as the shell reads it
	}
	require.GreaterOrEqual(t, len(env), 2, "the address and the process")

	return env
}

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

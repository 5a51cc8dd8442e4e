//go:build servers

package cmi_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

type ownServer struct {
	t      *testing.T
	binary string
	home   string
	port   string
	cmd    *exec.Cmd
}

func startServer(t *testing.T) *ownServer {
	t.Helper()
	built, err := exec.Command("../../../scripts/servers.sh", "build", "machbase").Output()
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(refused(t))
	require.NoError(t, err)
	s := &ownServer{t: t, binary: strings.TrimSpace(string(built)), home: t.TempDir(), port: port}
	for _, folder := range []string{"data", "pref", "files", "backup"} {
		require.NoError(t, os.Mkdir(filepath.Join(s.home, folder), 0o700))
	}
	t.Cleanup(func() {
		s.kill()
		_ = os.Remove("/tmp/machbase-unix-" + port + ".sock")
	})
	s.start()

	return s
}

func (s *ownServer) start() {
	s.t.Helper()
	in := func(name string) string { return filepath.Join(s.home, name) }
	s.cmd = exec.Command(s.binary, "serve-headless", "--host", "127.0.0.1", "--mach-port", s.port, "--data", in("data"), "--pref", in("pref"),
		"--file", in("files"), "--backup-dir", in("backup"), "--pid", in("pid"), "--log-filename", in("log"))
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var output bytes.Buffer
	s.cmd.Stdout, s.cmd.Stderr = &output, &output
	require.NoError(s.t, s.cmd.Start())
	require.EventuallyWithT(s.t, func(t *assert.CollectT) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c, err := cmi.Connect(ctx, s.config())
		if assert.NoError(t, err) {
			assert.NoError(t, c.Close())
		}
	}, patience, 50*time.Millisecond, "it does not start")
}

func (s *ownServer) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

func (s *ownServer) stop() {
	s.t.Helper()
	require.NoError(s.t, testutil.Stop(s.cmd.Process))
}

func (s *ownServer) goOn() {
	s.t.Helper()
	require.NoError(s.t, testutil.Continue(s.cmd.Process))
}

func (s *ownServer) config() cmi.Config {
	return cmi.Config{Addresses: []string{"127.0.0.1:" + s.port}, User: "sys", Password: "manager"}
}

func (s *ownServer) table(name string) {
	s.t.Helper()
	c := connectTo(s.t, s.config())
	execSQL(s.t, c, fmt.Sprintf(tagTable, name))
	require.NoError(s.t, c.Close())
}

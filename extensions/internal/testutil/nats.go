package testutil

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

//nolint:gochecknoglobals // all tests of a package share it
var sharedNATS struct {
	mu     sync.Mutex
	folder string // folder for configuration and streams, created by NATSMain
	server *NATS
}

// NATSMain runs the tests of a package, ends their shared nats-server, and returns the exit code.
func NATSMain(m *testing.M) int {
	folder, err := os.MkdirTemp("", "nats")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 1
	}
	defer func() { _ = os.RemoveAll(folder) }()
	sharedNATS.folder = folder
	code := m.Run()
	if sharedNATS.server != nil {
		sharedNATS.server.Kill()
	}

	return code
}

// NATSURL returns the address of the nats-server that the tests share: NATS_URL, or one that the
// first test starts.
func NATSURL(tb testing.TB) string {
	tb.Helper()
	if url := os.Getenv("NATS_URL"); url != "" {
		return url
	}
	sharedNATS.mu.Lock()
	defer sharedNATS.mu.Unlock()
	if sharedNATS.server == nil {
		if sharedNATS.folder == "" {
			tb.Fatal("TestMain of this package does not call testutil.NATSMain")
		}
		server := newNATS(tb, sharedNATS.folder, "max_payload: 8388608")
		server.Restart()
		sharedNATS.server = server
	}

	return sharedNATS.server.URL
}

// NATS is a nats-server with JetStream.
type NATS struct {
	*Server

	URL     string
	Streams string // folder of the streams
}

// StartNATS starts a server for one test, with additional configuration.
func StartNATS(tb testing.TB, configuration string) *NATS {
	tb.Helper()
	s := newNATS(tb, tb.TempDir(), configuration)
	s.start()

	return s
}

func newNATS(tb testing.TB, folder, configuration string) *NATS {
	tb.Helper()
	path, err := natsServer()
	require.NoError(tb, err)
	addr := freeAddr(tb)
	streams := filepath.Join(folder, "jetstream", "$G", "streams")
	// nats-server 2.15.2 removes this folder when it is empty, even while another test creates a
	// stream in it. This file system entry keeps it.
	require.NoError(tb, os.MkdirAll(filepath.Join(streams, "kept"), 0o700))
	file := filepath.Join(folder, "conf")
	content := fmt.Sprintf("listen: %q\njetstream { store_dir: %q }\n%s\n", addr, folder, configuration)
	require.NoError(tb, os.WriteFile(file, []byte(content), 0o600))
	s := &Server{Addr: addr, tb: tb, program: program{path: path}, args: []string{"--config", file}}
	s.ready = s.dial

	return &NATS{Server: s, URL: "nats://" + addr, Streams: streams}
}

// natsServer is the program of the process NATS_PID, or the one that scripts/servers.sh compiles.
//
//nolint:gochecknoglobals // a function that is called once
var natsServer = sync.OnceValues(func() (string, error) {
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

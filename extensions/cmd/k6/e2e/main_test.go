package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain sets what every k6 with the race detector inherits: after a data race it exits with 66,
// and it does not sleep for a second before it exits, as it does by default.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "exitcode=66 atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// calm lets a test run beside others that wait more than they compute, in the stage e2e-alone: what
// it judges would be another on a full machine.
func calm(t *testing.T) {
	t.Helper()
	t.Parallel()
}

// loaded is the load that every test of the stock scenarios needs: the first of them does it. It
// lasts for an hour.
var loaded = struct {
	once sync.Once
	at   time.Time
	env  map[string]string
}{env: map[string]string{"BACK": "64", "AHEAD": "60", "TPS": "200", "SECONDS": "true"}}

// loadStock loads the stock data once.
func loadStock(t *testing.T) {
	t.Helper()
	loaded.once.Do(func() {
		loaded.at = time.Now()
		r := k6(t, options{script: "stock-load.js", env: with(loaded.env, map[string]string{"RESET": "true"}), args: []string{"--quiet"}})
		require.Equal(t, exitOK, r.code, r.output)
	})
}

// builtServers are the programs of servers that scripts/servers.sh has built, by name.
var builtServers sync.Map

// builtServer is the program of a server that a test starts itself.
func builtServer(t *testing.T, name string) string {
	t.Helper()
	build, _ := builtServers.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) {
		return exec.Command(filepath.Join(root, "scripts/servers.sh"), "build", name).Output()
	}))
	path, err := build.(func() ([]byte, error))()
	require.NoError(t, err)

	return strings.TrimSpace(string(path))
}

// eventually waits until a condition holds.
func eventually(t *testing.T, why string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, hang, 10*time.Millisecond, why)
}

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

// TestMain sets the environment of every k6 with the race detector: it exits with 66 after a data
// race, and does not sleep before it exits.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "exitcode=66 atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// calm lets a test run in the stage e2e-alone together with others that mostly wait. On a busy
// machine its measurements would differ.
func calm(t *testing.T) {
	t.Helper()
	t.Parallel()
}

var loaded = struct {
	once sync.Once
	at   time.Time
	env  map[string]string
}{env: map[string]string{"BACK": "64", "AHEAD": "60", "TPS": "200", "SECONDS": "true"}}

func loadStock(t *testing.T) {
	t.Helper()
	loaded.once.Do(func() {
		loaded.at = time.Now()
		r := k6(t, options{
			script: "stock-load.js", binary: withoutRace(t), env: with(loaded.env, map[string]string{"RESET": "true"}), args: []string{"--quiet"},
		})
		require.Equal(t, exitOK, r.code, r.output)
	})
}

var builtServers sync.Map

func builtServer(t *testing.T, name string) string {
	t.Helper()
	build, _ := builtServers.LoadOrStore(name, sync.OnceValues(func() ([]byte, error) {
		return exec.Command(filepath.Join(root, "scripts/servers.sh"), "build", name).Output()
	}))
	path, err := build.(func() ([]byte, error))()
	require.NoError(t, err)

	return strings.TrimSpace(string(path))
}

func eventually(t *testing.T, why string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, hang, 10*time.Millisecond, why)
}

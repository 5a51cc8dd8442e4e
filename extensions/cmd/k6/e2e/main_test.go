package e2e

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMain sets what every k6 with the race detector inherits: after a data race it exits with 66, and
// it does not sleep for a second before it exits, as it does by default.
func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", "exitcode=66 atexit_sleep_ms=0"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// loaded is the load that every test of the stock scenarios needs: the first of them does it.
var loaded = struct {
	at  time.Time // zero: not yet
	env map[string]string
}{env: map[string]string{"BACK": "64", "AHEAD": "15", "TPS": "200", "SECONDS": "true"}}

// loadStock loads the stock data once.
func loadStock(t *testing.T) {
	t.Helper()
	if !loaded.at.IsZero() {
		return
	}
	loaded.at = time.Now()
	env := map[string]string{"RESET": "true"}
	for name, value := range loaded.env {
		env[name] = value
	}
	r := k6(t, options{script: "stock-load.js", env: env, args: []string{"--quiet"}})
	require.Equal(t, exitOK, r.code, r.output)
}

// eventually waits until a condition holds.
func eventually(t *testing.T, why string, condition func() bool) {
	t.Helper()
	require.Eventually(t, condition, hang, 10*time.Millisecond, why)
}

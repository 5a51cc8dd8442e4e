package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

type inside struct {
	Steps []struct {
		Ops, Failed int
		Seconds     float64
		OverTime    struct {
			SlotSeconds  float64
			OpsPerSecond []float64
			Failed       []int
		}
		Slowest []struct {
			At, Ms float64
			Client int
		}
	}
	Marks []struct {
		At         time.Time
		Text, Kind string
		Times      int
	}
}

func TestInsideAStep(t *testing.T) {
	t.Parallel()
	program, port := builtServer(t, "memcached"), freePort(t)
	start := func() *exec.Cmd {
		cmd := exec.Command(program, "--user", "root", "--listen", "127.0.0.1", "--port", fmt.Sprint(port))
		require.NoError(t, cmd.Start())

		return cmd
	}
	server := start()
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	address := fmt.Sprintf("127.0.0.1:%d", port)
	eventually(t, "memcached does not start", func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
		}

		return err == nil
	})
	r := k6(t, options{
		script: "testdata/inside.js", env: map[string]string{"MEMCACHED_URL": address, defaultEnvMachbase: ""},
		measuring: func(*os.Process) {
			time.Sleep(time.Second)
			_ = server.Process.Signal(unix.SIGSTOP)
			time.Sleep(time.Second)
			_ = server.Process.Signal(unix.SIGCONT)
			time.Sleep(time.Second)
			_ = server.Process.Kill()
			_ = server.Wait()
			time.Sleep(1500 * time.Millisecond) // k6 checks once a second
			server = start()
		},
	})
	require.Contains(t, []int{exitOK, exitMarkedFailed}, r.code, r.output)
	raw, err := os.ReadFile(filepath.Join(r.results, "inside.json"))
	require.NoError(t, err)
	var rep inside
	require.NoError(t, json.Unmarshal(raw, &rep))

	s := rep.Steps[0]
	require.Positive(t, s.Ops)
	require.Positive(t, s.Failed)
	failed := 0
	for _, n := range s.OverTime.Failed {
		failed += n
	}
	require.Equal(t, s.Failed, failed)
	require.GreaterOrEqual(t, longestSilence(s.OverTime.OpsPerSecond)*s.OverTime.SlotSeconds, 0.5, "the stop, or the time without a server")
	require.GreaterOrEqual(t, s.Slowest[0].Ms, 500.0, "four clients waited for a second, but for what a loaded machine takes of it")
	require.GreaterOrEqual(t, s.Slowest[3].Ms, 500.0)

	var seen []string
	for _, m := range rep.Marks {
		seen = append(seen, strings.TrimPrefix(m.Kind+": "+m.Text, ": "))
	}
	for _, want := range []string{
		"the server is stopped", "restart: the server has ended", "restart: the server was started again", "reconnect: a client connected",
	} {
		require.Contains(t, seen, want)
	}
	require.Less(t, slices.Index(seen, "restart: the server has ended"), slices.Index(seen, "restart: the server was started again"))

	b := browser(t)
	b.open(t, filepath.Join(r.results, "inside.html"))
	require.Empty(t, pageFaults(t, b))
	var listed string
	var tips, slow int
	require.NoError(t, chromedp.Run(b.ctx,
		chromedp.Text("#inside ol.happened", &listed),
		chromedp.Evaluate(`document.querySelectorAll('#inside .slot title').length`, &tips),
		chromedp.Evaluate(`(() => { const d = document.querySelector('#inside details'); d.querySelector('summary').focus();
			const focused = document.activeElement === d.querySelector('summary'); d.querySelector('summary').click();
			return focused && d.open ? d.querySelectorAll('tbody tr').length : -1 })()`, &slow),
	))
	require.Contains(t, listed, "the server is stopped")
	require.Contains(t, listed, "the server was started again")
	require.Len(t, s.OverTime.Failed, tips)
	require.Equal(t, len(s.Slowest), slow, "the keyboard opens the table")
}

// longestSilence returns the largest number of consecutive slots without an operation.
func longestSilence(rates []float64) float64 {
	longest, now := 0, 0
	for _, rate := range rates {
		now++
		if rate > 0 {
			now = 0
		}
		longest = max(longest, now)
	}

	return float64(longest)
}

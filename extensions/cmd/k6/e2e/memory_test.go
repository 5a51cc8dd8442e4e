package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Memory that k6 allocates before the first client works stays in use during the run.
func TestMemoryOfAClient(t *testing.T) {
	t.Parallel()
	const few, many = 20, 220
	for _, tt := range []struct {
		script string
		most   int64 // maximum in bytes
	}{
		{"scenarios/cache-sweep.js", 180_000}, // formerly 248,000
		{"scripts/bench/empty.js", 100_000},   // any VU of k6 needs 67,000
	} {
		t.Run(filepath.Base(tt.script), func(t *testing.T) {
			t.Parallel()
			each := (inUse(t, tt.script, many) - inUse(t, tt.script, few)) / (many - few)
			require.LessOrEqual(t, each, tt.most)
		})
	}
}

var heapInUse = regexp.MustCompile(`(?m)^# HeapAlloc = (\d+)$`)

// inUse returns k6's used bytes after it has created the VUs for this many clients.
func inUse(t *testing.T, script string, clients int) int64 {
	t.Helper()
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), withoutRace(t), "run", "--quiet",
		"--paused", "--profiling-enabled", "--address", address,
		"-e", fmt.Sprintf("CLIENTS=%d", clients), filepath.Join(root, script))
	cmd.Env = append(os.Environ(), "DURATION=1s", "TARGET=memcached", "K6_AUTO_EXTENSION_RESOLUTION=false", "K6_NO_USAGE_REPORT=true")
	require.NoError(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	eventually(t, "k6 does not make its VUs", func() bool {
		var status struct {
			Data struct {
				Attributes struct {
					Made int `json:"vus-max"`
				} `json:"attributes"`
			} `json:"data"`
		}
		_ = json.Unmarshal(fetched("http://"+address+"/v1/status"), &status) // not yet available

		return status.Data.Attributes.Made == clients
	})
	found := heapInUse.FindSubmatch(fetched("http://" + address + "/debug/pprof/heap?debug=1&gc=1"))
	require.NotNil(t, found, "k6 says nothing of its heap")
	bytes, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)

	return bytes
}

func fetched(url string) []byte {
	resp, err := http.Get(url)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)

	return raw
}

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A cache without room for what a sweep writes: the report has marks of what it evicts, and the
// page a row.
func TestEvictionsAreMarked(t *testing.T) {
	t.Parallel()
	for module, of := range map[string]struct {
		program string
		flags   []string
	}{
		"memcached": {"memcached", []string{"--user", "root", "--listen", "127.0.0.1", "--memory-limit", "2", "--threads", "1", "--port"}},
		"resp": {"redis", []string{"--bind", "127.0.0.1", "--save", "", "--dir", t.TempDir(), "--maxmemory", "3mb",
			"--maxmemory-policy", "allkeys-random", "--port"}},
	} {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			port := fmt.Sprint(freePort(t))
			address := "127.0.0.1:" + port
			server := exec.Command(builtServer(t, of.program), append(of.flags, port)...)
			require.NoError(t, server.Start())
			defer func() {
				_ = server.Process.Kill()
				_ = server.Wait()
			}()
			eventually(t, of.program+" does not start", func() bool {
				conn, err := net.DialTimeout("tcp", address, time.Second)
				if err == nil {
					_ = conn.Close()
				}

				return err == nil
			})
			r := k6(t, options{
				script: "testdata/evictions-" + module + ".js", env: map[string]string{"CACHE": address, defaultEnvMachbase: ""},
			})
			require.Equal(t, exitOK, r.code, r.output)
			requireEvictions(t, r.results, address)
		})
	}
}

// requireEvictions fails unless the step of a report has evictions of the server at the address and
// no failed operation.
func requireEvictions(t *testing.T, results, address string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(results, "evictions.json"))
	require.NoError(t, err)
	var rep inside
	require.NoError(t, json.Unmarshal(raw, &rep))
	require.Zero(t, rep.Steps[0].Failed)
	marks := 0
	for _, m := range rep.Marks {
		if m.Kind == "evictions" {
			require.Equal(t, address+" evicted a key", m.Text)
			marks++
		}
	}
	require.Positive(t, marks)
	page, err := os.ReadFile(filepath.Join(results, "evictions.html"))
	require.NoError(t, err)
	require.Regexp(t, `keys? evicted, at most`, string(page))
}

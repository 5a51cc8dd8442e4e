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

// A memcached without room for what a sweep writes: the report has marks of what it evicts, and the
// page a row.
func TestEvictionsOfMemcached(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	server := exec.Command(builtServer(t, "memcached"), "--user", "root", "--listen", "127.0.0.1", "--port", fmt.Sprint(port),
		"--memory-limit", "2", "--threads", "1")
	require.NoError(t, server.Start())
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}()
	eventually(t, "memcached does not start", func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
		}

		return err == nil
	})
	r := k6(t, options{script: "testdata/evictions.js", env: map[string]string{"MEMCACHED_URL": address, defaultEnvMachbase: ""}})
	require.Equal(t, exitOK, r.code, r.output)
	raw, err := os.ReadFile(filepath.Join(r.results, "evictions.json"))
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
	page, err := os.ReadFile(filepath.Join(r.results, "evictions.html"))
	require.NoError(t, err)
	require.Regexp(t, `keys? evicted, at most`, string(page))
}

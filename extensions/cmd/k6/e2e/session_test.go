package e2e

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

const echoExample = root + "/extensions/sweep/session/examples/echo"

func buildEcho(t *testing.T) string {
	t.Helper()
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(top, "extensions/cmd/k6/go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(top, "extensions/cmd/k6/go.sum"))
	require.NoError(t, err)
	pinned := strings.NewReplacer(
		"module github.com/xk6-sweep/xk6-sweep/extensions/cmd/k6", "module example.com/k6",
		"=> ../../../..", "=> "+top, "=> ../../..", "=> "+top, "=> ../../", "=> "+top+"/extensions/",
	).Replace(string(mod))

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "echo"), os.DirFS(echoExample)))
	for name, text := range map[string]string{
		"go.mod": pinned, "go.sum": string(sum),
		"main.go": `package main

import (
	_ "example.com/k6/echo"
	_ "github.com/xk6-sweep/xk6-sweep"
	k6cmd "go.k6.io/k6/v2/cmd"
)

func main() { k6cmd.Execute() }
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-race", "-ldflags", "-s -w", "-o", "k6-echo", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)

	return filepath.Join(dir, "k6-echo")
}

func echoServer(t *testing.T) string {
	t.Helper()

	return connServer(t, func(conn net.Conn) {
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			if _, err := io.WriteString(conn, lines.Text()+"\n"); err != nil {
				return
			}
		}
	})
}

// An external module, in a separate Go module, has all features of a sweep with one import: kinds
// of operations, rows, bytes and batches in the report and in InfluxDB, metrics, gates, and both
// forms of its methods.
func TestModuleOfAnotherRepository(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(echoExample, "*"))
	require.NoError(t, err)
	require.Len(t, files, 3, "%s", files)
	source, err := os.ReadFile(filepath.Join(echoExample, "echo.go"))
	require.NoError(t, err)
	require.LessOrEqual(t, strings.Count(string(source), "\n"), 150)

	k6Echo := buildEcho(t)
	address := influxDatabase(t)
	script := filepath.Join("..", strings.TrimPrefix(echoExample, root+"/"), "echo.js")
	env := map[string]string{defaultEnvMachbase: "", "ECHO_URL": echoServer(t)}
	r := k6(t, options{binary: k6Echo, script: script, env: env, args: []string{"--out", "sweep-influxdb=" + address}})
	require.Equal(t, exitOK, r.code, r.output)

	byOp := map[string]step{}
	for _, s := range r.report(t, "echo").Steps {
		if s.Clients == 4 {
			byOp[s.Op] = s
		}
		require.True(t, s.Complete)
		require.Zero(t, s.Failed)
	}
	require.Len(t, byOp, 3)
	echo, batch, single := byOp["echo"], byOp["batch"], byOp["single"]
	require.Equal(t, 4*3000, echo.Ops+batch.Ops+single.Ops, "each operation of a call counts")
	for _, s := range []step{echo, batch, single} {
		require.Positive(t, s.Ops, s.Op)
		require.Equal(t, s.BytesSent, s.BytesReceived, s.Op)
	}
	require.Equal(t, 11*echo.Ops, echo.BytesSent)
	require.Equal(t, echo.Ops, echo.Rows)
	require.Equal(t, 22*batch.Ops, batch.BytesSent)
	require.Equal(t, 2*batch.Ops, batch.Rows)
	require.Equal(t, single.Ops, single.Rows, "a single call counts for the operation that the script names")

	rows := testutil.QueryInfluxDB(t, address, `SELECT * FROM sweep_step WHERE scenario='echo' AND clients='4' AND op='batch'`)
	require.Len(t, rows, 1)
	require.InDelta(t, batch.Ops, rows[0].Number(t, "ops"), 0)
	require.InDelta(t, batch.BytesSent, rows[0].Number(t, "bytes_sent"), 0)

	counted := r.samples(t, "echo_ops")
	for _, s := range []step{echo, batch} {
		tags := map[string]string{"op": s.Op, "outcome": "ok", "clients": "4"}
		require.GreaterOrEqual(t, sum(counted, tags), float64(s.Ops), s.Op)
	}
	setup := map[string]string{"op": "echo", "group": "::setup"}
	require.InDelta(t, 2, sum(counted, setup), 0, "both forms")
	for _, p := range r.samples(t, "echo_op_duration") {
		require.True(t, hasTags(p, setup), "in a sweep they are in its histograms: %v", p)
	}

	gates := filepath.Join(t.TempDir(), "echo.json")
	require.NoError(t, os.WriteFile(gates, []byte(`{"scenario":"echo","absolute":[
		{"op":"echo","clients":4,"opsPerSecond": 1},{"op":"batch","clients":4,"opsPerSecond": 1e12}]}`), 0o600))
	env["GATES"] = gates
	r = k6(t, options{
		binary: k6Echo, script: script, env: env, environment: noWitness,
	})
	require.Equal(t, exitThreshold, r.code, r.output)
	require.NotEmpty(t, r.lines("CROSSED: ops/s of batch with 4 clients"), r.output)
	require.Empty(t, r.lines("CROSSED: ops/s of echo"), r.output)
}

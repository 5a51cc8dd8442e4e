package e2e

import (
	"fmt"
	"maps"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A server with a limit of 45 clients refuses the others with a reason: the errors and "limited by"
// report it.
func TestFullServers(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"memcached": "too many open connections",
		"redis":     "max number of clients reached",
		"nats":      "maximum connections exceeded",
		"postgres":  "(too many clients already|remaining connection slots are reserved)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			variable := strings.ToUpper(name)
			env := ownStore(t, name, variable+"_CONNECTIONS=45")
			r := k6(t, options{script: "testdata/full.js", env: map[string]string{
				"STORE": name, "SERVER": env[variable+"_URL"], defaultEnvMachbase: "",
			}})
			require.Equal(t, exitThreshold, r.code, "operations have failed: %s", r.output)
			refused := r.lines("refused: ")
			require.NotEmpty(t, refused, r.output)
			for _, line := range refused {
				require.Contains(t, line, "refused: busy")
			}

			step := r.report(t, "full").Steps[0]
			require.Positive(t, step.Ops, "those that the server takes do their work")
			require.Positive(t, step.Failed)
			for text := range step.Extra.Errors {
				require.Regexp(t, says, text)
			}
			require.Equal(t, "server", step.Witness.LimitedBy)
			require.Equal(t, fmt.Sprintf("The server refused %d operations: its limit of connections is reached.", step.Failed), step.Witness.Why)
		})
	}
}

func TestBusyRedis(t *testing.T) {
	t.Parallel()
	env := ownRedis(t)
	admin, err := net.Dial("tcp", strings.TrimPrefix(env["REDIS_URL"], "redis://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = admin.Close() })
	for _, tt := range []struct{ does, says string }{
		{"REPLICAOF 127.0.0.1 1\r\nCONFIG SET replica-serve-stale-data no\r\n", "MASTERDOWN"},
		{"REPLICAOF NO ONE\r\nCONFIG SET busy-reply-threshold 1\r\nEVAL \"while true do end\" 0\r\n", "BUSY"},
	} {
		_, err := admin.Write([]byte(tt.does))
		require.NoError(t, err)
		env := maps.Clone(env)
		maps.Copy(env, map[string]string{"STORE": "redis", "SERVER": env["REDIS_URL"], defaultEnvMachbase: ""})
		eventually(t, "Redis does not become busy", func() bool {
			return strings.Contains(asks(t, env["REDIS_URL"], "GET x"), tt.says)
		})
		r := k6(t, options{script: "testdata/busy.js", env: env})
		require.Equal(t, exitOK, r.code, r.output)
		require.NotEmpty(t, r.lines("refused: busy the server says: "+tt.says), r.output)
	}
}

func asks(t *testing.T, url, command string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "redis://"))
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "%s\r\n", command)
	require.NoError(t, err)
	var answer [200]byte
	n, err := conn.Read(answer[:])
	require.NoError(t, err)

	return string(answer[:n])
}

// A node of a Redis Cluster that lacks most of the keys ends the test, with one message.
func TestRedisClusterEndsTheTest(t *testing.T) {
	t.Parallel()
	env := ownStore(t, "redis", "REDIS_CLUSTER=3")
	first, _, _ := strings.Cut(env["REDIS_URL"], ",")
	env = map[string]string{
		"TARGET": "redis", "REDIS_URL": first, "CLIENTS": "1,4", "ITERATIONS": "100", "WARMUP": "0s", "KEYS": "100", defaultEnvMachbase: "",
	}
	r := k6(t, options{script: "cache-sweep.js", env: env})
	require.Equal(t, exitAborted, r.code, r.output)
	require.Len(t, r.lines("the server is a node of a Redis Cluster"), 1, r.output)

	r = k6(t, options{script: "cache-sweep.js", env: with(env, map[string]string{"REDIS_CLUSTER": "3"})})
	require.NotEqual(t, exitAborted, r.code, r.output)
	for _, s := range r.report(t, "cache-sweep-redis").Steps {
		require.Zero(t, s.Failed)
	}
}

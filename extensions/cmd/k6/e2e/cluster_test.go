package e2e

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// redisCluster is a Redis Cluster for one test, with a connection to each server: first the three
// primaries, then their replicas.
type redisCluster struct {
	t     *testing.T
	env   map[string]string
	nodes []*redis.Client
	ids   []string
}

func startRedisCluster(t *testing.T, servers string) *redisCluster {
	t.Helper()
	c := &redisCluster{t: t, env: ownStore(t, "redis", "REDIS_CLUSTER="+servers)}
	for url := range strings.SplitSeq(c.env["REDIS_URL"], ",") {
		node := redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(url, "redis://")})
		t.Cleanup(func() { _ = node.Close() })
		c.nodes = append(c.nodes, node)
		c.ids = append(c.ids, c.do(len(c.nodes)-1, "cluster", "myid").String())
	}

	return c
}

func (c *redisCluster) do(node int, command ...any) *answerOfRedis {
	c.t.Helper()
	said, err := c.nodes[node].Do(context.Background(), command...).Result()
	require.NoError(c.t, err, "%v", command)

	return &answerOfRedis{said}
}

type answerOfRedis struct{ said any }

func (a *answerOfRedis) String() string { text, _ := a.said.(string); return text }
func (a *answerOfRedis) Int() int       { n, _ := a.said.(int64); return int(n) }
func (a *answerOfRedis) All() []any     { all, _ := a.said.([]any); return all }

// stat returns the sum over all servers of a command's counter in INFO: calls, failed_calls or
// rejected_calls.
func (c *redisCluster) stat(command, what string) (sum int) {
	c.t.Helper()
	found := regexp.MustCompile(`cmdstat_` + command + `:.*\b` + what + `=(\d+)`)
	for node := range c.nodes {
		if match := found.FindStringSubmatch(c.do(node, "info", "commandstats").String()); match != nil {
			n, err := strconv.Atoi(match[1])
			require.NoError(c.t, err)
			sum += n
		}
	}

	return sum
}

func (c *redisCluster) reset() {
	for node := range c.nodes {
		c.do(node, "config", "resetstat")
	}
}

func (c *redisCluster) move(slot, from, to int, pause time.Duration) {
	c.do(to, "cluster", "setslot", slot, "importing", c.ids[from])
	c.do(from, "cluster", "setslot", slot, "migrating", c.ids[to])
	time.Sleep(pause)
	host, port, _ := strings.Cut(c.nodes[to].Options().Addr, ":")
	for {
		keys := c.do(from, "cluster", "getkeysinslot", slot, 100).All()
		if len(keys) == 0 {
			break
		}
		c.do(from, append([]any{"migrate", host, port, "", 0, 5000, "keys"}, keys...)...)
		time.Sleep(pause)
	}
	for _, node := range []int{to, from} {
		c.do(node, "cluster", "setslot", slot, "node", c.ids[to])
	}
}

func (c *redisCluster) moveSome(slots int) {
	for slot := 0; slots > 0; slot++ {
		if c.do(0, "cluster", "countkeysinslot", slot).Int() > 0 {
			c.move(slot, 0, 1, 0)
			slots--
		}
	}
}

func (c *redisCluster) owner(key string) (node, slot int) {
	slot = c.do(0, "cluster", "keyslot", key).Int()

	return slot * 3 / 16384, slot
}

// underWay matches k6's progress line while a step is being measured.
const underWay = `[0-9.]+s/[0-9.]+s`

// requireDone fails if k6 has ended before done is closed.
func requireDone(t *testing.T, r *run, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	default:
		require.Fail(t, "k6 has ended before its clients were seen at work", r.output)
	}
}

func TestRedisClusterWhoseSlotsMove(t *testing.T) {
	t.Parallel()
	c := startRedisCluster(t, "3")
	for _, tt := range []struct {
		env       map[string]string
		move      func()
		executed  map[string]string // the command of each operation
		redirects []string          // redirections by the servers
	}{
		{
			map[string]string{"KIND": "single"}, func() { c.moveSome(300) },
			map[string]string{"get": "get", "set": "set"}, []string{"get"},
		},
		{
			map[string]string{"KIND": "pipeline", "PREFIX": "{a}:"}, c.moveTagged("{a}:"),
			map[string]string{"get": "get", "set": "set"}, []string{"get", "set"},
		},
		{
			map[string]string{"KIND": "commands", "PREFIX": "{b}:", "RESP": "3"}, c.moveTagged("{b}:"),
			map[string]string{"hget": "hget", "hset": "hset"}, []string{"hget", "hset"},
		},
		{map[string]string{"KIND": "multi", "PREFIX": "{c}:"}, c.moveTagged("{c}:"), map[string]string{"getMulti": "mget"}, []string{"mget"}},
	} {
		c.reset()
		env := with(with(c.env, tt.env), map[string]string{defaultEnvMachbase: ""})
		delete(env, "REDIS_PID")
		delete(env, "REDIS_PIDS")
		moved := make(chan struct{})
		r := k6(t, options{script: "testdata/cluster.js", env: env, shows: underWay, measuring: func(*os.Process) {
			defer close(moved)
			tt.move()
		}})
		requireDone(t, r, moved)
		require.Contains(t, []int{exitOK, exitThreshold}, r.code, "a busy machine starts operations late: %s", r.output)
		for _, step := range r.report(t, "cluster").Steps {
			require.Zero(t, step.Failed, "%s: %v", step.Op, step.Extra.Errors)
			executed := tt.executed[step.Op]
			written := 0
			if executed == "set" || executed == "hset" {
				written = 3000
			}
			require.Positive(t, step.Ops)
			require.Equal(t, step.Ops+written, c.stat(executed, "calls")-c.stat(executed, "failed_calls"), "%v: %s", tt.env, executed)
		}
		for _, command := range tt.redirects {
			require.Positive(t, c.stat(command, "rejected_calls"), "%v: %s", tt.env, command)
		}
		if tt.env["PREFIX"] != "" {
			require.Positive(t, c.stat("asking", "calls"), "%v", tt.env)
		}
	}
}

func (c *redisCluster) moveTagged(prefix string) func() {
	return func() {
		from, slot := c.owner(prefix)
		c.move(slot, from, (from+1)%3, 20*time.Millisecond)
	}
}

func TestRedisClusterFailsOver(t *testing.T) {
	t.Parallel()
	c := startRedisCluster(t, "6")
	for node := range c.nodes {
		c.do(node, "config", "set", "cluster-node-timeout", 1000)
	}
	for replica := 3; replica < 6; replica++ {
		eventually(t, "a replica does not follow its primary", func() bool {
			return strings.Contains(c.do(replica, "info", "replication").String(), "master_link_status:up")
		})
	}
	env := with(c.env, map[string]string{"KIND": "count", "DURATION": "4s", defaultEnvMachbase: ""})
	delete(env, "REDIS_PID")
	delete(env, "REDIS_PIDS")
	run := func(during func()) (r *run, incr, failed int) {
		done := make(chan struct{})
		r = k6(t, options{script: "testdata/cluster.js", env: env, shows: underWay, measuring: func(*os.Process) {
			defer close(done)
			during()
		}})
		requireDone(t, r, done)
		for _, step := range r.report(t, "cluster").Steps {
			failed += step.Failed
			if step.Op == "incr" {
				incr = step.Ops
			}
		}

		return r, incr, failed
	}
	isPrimary := func(node int) bool { return c.do(node, "role").All()[0] == "master" }

	r, incr, failed := run(func() {
		time.Sleep(300 * time.Millisecond)
		c.do(3, "cluster", "failover")
		eventually(t, "the replica does not take over", func() bool { return isPrimary(3) })
	})
	require.Contains(t, []int{exitOK, exitThreshold}, r.code, "operations are late while the replica takes over: %s", r.output)
	require.Zero(t, failed)
	require.Equal(t, incr, c.sum(3, 1, 2), "no increment is lost, and none was done twice")

	eventually(t, "the cluster has not settled", func() bool {
		return strings.Contains(c.do(4, "info", "replication").String(), "master_link_status:up")
	})
	env["DURATION"] = "6s"
	pid, err := strconv.Atoi(strings.Split(c.env["REDIS_PIDS"], ",")[1])
	require.NoError(t, err)
	r, incr, failed = run(func() {
		time.Sleep(300 * time.Millisecond)
		require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
		eventually(t, "the replica does not take over", func() bool { return isPrimary(4) })
		c.do(4, "config", "resetstat")
	})
	require.Contains(t, []int{exitOK, exitThreshold}, r.code, r.output)
	require.LessOrEqual(t, failed, 4, "one for each client: %s", r.output)
	require.Positive(t, incr)
	require.Contains(t, c.do(4, "info", "commandstats").String(), "cmdstat_incr", "the new primary does the work of the dead one")
}

func (c *redisCluster) sum(nodes ...int) (sum int) {
	for _, node := range nodes {
		keys := c.do(node, "keys", "*").All()
		for _, key := range keys {
			n, err := strconv.Atoi(c.do(node, "get", key).String())
			require.NoError(c.t, err)
			sum += n
		}
	}

	return sum
}

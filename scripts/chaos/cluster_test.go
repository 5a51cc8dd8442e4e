package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

type redisCluster struct {
	servers func(arguments ...string) (string, error) // runs scripts/servers.sh
	nodes   []*redis.Client
	pids    []int
}

const slotsOfFirst = 16384 / 3

// quiet drops the log of go-redis, which would report each attempt to reach the killed server.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func (c *cell) startCluster() error {
	redis.SetLogger(quiet{})
	cluster := &redisCluster{servers: func(arguments ...string) (string, error) {
		cmd := exec.Command(filepath.Join(c.scripts, "..", "..", "servers.sh"), arguments...)
		cmd.Env = append(os.Environ(), "SERVERS_ROOM="+c.id, "REDIS_CLUSTER=6")
		out, err := cmd.Output()

		return string(out), err
	}}
	c.cluster = cluster
	if _, err := cluster.servers("up", "redis"); err != nil {
		return fmt.Errorf("the cluster does not start: %w", err)
	}
	env, err := cluster.servers("env")
	if err != nil {
		return err
	}
	for line := range strings.Lines(strings.ReplaceAll(env, `\`, "")) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		for part := range strings.SplitSeq(value, ",") {
			switch name {
			case "REDIS_URL":
				cluster.nodes = append(cluster.nodes, redis.NewClient(&redis.Options{Addr: strings.TrimPrefix(part, "redis://")}))
			case "REDIS_PIDS":
				pid, err := strconv.Atoi(part)
				if err != nil {
					return err
				}
				cluster.pids = append(cluster.pids, pid)
			}
		}
	}
	c.server.address = cluster.nodes[0].Options().Addr
	for node := range cluster.nodes {
		if _, err := cluster.do(node, "config", "set", "cluster-node-timeout", 1000); err != nil {
			return err
		}
	}

	return waitFor(20*time.Second, func() bool {
		for node := 3; node < len(cluster.nodes); node++ {
			if role, _ := cluster.do(node, "info", "replication"); !strings.Contains(fmt.Sprint(role), "master_link_status:up") {
				return false
			}
		}

		return true
	})
}

func (c *cell) stopCluster() {
	for _, node := range c.cluster.nodes {
		_ = node.Close()
	}
	if _, err := c.cluster.servers("down", "redis"); err != nil {
		c.fail("the cluster does not end: %v", err)
	}
}

func (r *redisCluster) do(node int, command ...any) (any, error) {
	return r.nodes[node].Do(context.Background(), command...).Result()
}

func (r *redisCluster) isPrimary(node int) bool {
	role, err := r.nodes[node].Do(context.Background(), "role").Slice()

	return err == nil && role[0] == "master"
}

func (r *redisCluster) killPrimary() error {
	if err := syscall.Kill(r.pids[1], syscall.SIGKILL); err != nil {
		return err
	}

	return waitFor(20*time.Second, func() bool { return r.isPrimary(4) })
}

func (r *redisCluster) moveSlots() error {
	var ids [3]any
	for node := range ids {
		var err error
		if ids[node], err = r.do(node, "cluster", "myid"); err != nil {
			return err
		}
	}
	host, port, _ := net.SplitHostPort(r.nodes[2].Options().Addr)
	moved := 0
	for slot := range slotsOfFirst / 2 {
		_, importing := r.do(2, "cluster", "setslot", slot, "importing", ids[0])
		_, migrating := r.do(0, "cluster", "setslot", slot, "migrating", ids[2])
		keys, err := r.nodes[0].ClusterGetKeysInSlot(context.Background(), slot, 1000).Result()
		if err == nil && len(keys) > 0 {
			command := []any{"migrate", host, port, "", 0, 5000, "keys"}
			for _, key := range keys {
				command = append(command, key)
			}
			_, err = r.do(0, command...)
			moved += len(keys)
		}
		_, taken := r.do(2, "cluster", "setslot", slot, "node", ids[2])
		_, given := r.do(0, "cluster", "setslot", slot, "node", ids[2])
		if err := errors.Join(importing, migrating, err, taken, given); err != nil {
			return err
		}
	}
	if moved == 0 {
		return errors.New("no slot that moved has a key")
	}

	return nil
}

func clusterKeys(c *cell) (keys int, err error) {
	for node := range slices.Values(c.cluster.nodes) {
		found, failed := node.Do(context.Background(), "keys", c.id+":*").StringSlice()
		role, _ := node.Do(context.Background(), "role").Slice()
		switch {
		case failed != nil && c.fault.kills:
		case failed != nil:
			err = failed
		case role[0] == "master":
			keys += len(found)
		}
	}

	return keys, err
}

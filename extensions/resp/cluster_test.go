package resp

import (
	"bufio"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

type fakeCluster struct {
	t *testing.T

	mu        sync.Mutex
	addresses []string
	listeners []net.Listener
	conns     []map[net.Conn]bool
	owners    [wire.Slots]int
	importing map[int]int
	refuse    []string
	executed  map[string]int
	asked     int
	values    map[string]string
	noHost    bool
}

func startFakeCluster(t *testing.T, servers int) *fakeCluster {
	t.Helper()
	c := &fakeCluster{t: t, importing: map[int]int{}, executed: map[string]int{}, values: map[string]string{}}
	var wait sync.WaitGroup
	for i := range servers {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		c.mu.Lock()
		c.listeners = append(c.listeners, listener)
		c.addresses = append(c.addresses, listener.Addr().String())
		c.conns = append(c.conns, map[net.Conn]bool{})
		c.mu.Unlock()
		wait.Go(func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				c.mu.Lock()
				c.conns[i][conn] = true
				c.mu.Unlock()
				wait.Go(func() { c.serve(i, conn) })
			}
		})
	}
	for slot := range c.owners {
		c.owners[slot] = slot * servers / wire.Slots
	}
	t.Cleanup(func() {
		for i := range c.listeners {
			c.kill(i)
		}
		wait.Wait()
	})

	return c
}

func (c *fakeCluster) kill(server int) {
	_ = c.listeners[server].Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns[server] {
		_ = conn.Close()
	}
}

func (c *fakeCluster) done(names ...string) (sum int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		sum += c.executed[name]
	}

	return sum
}

func (c *fakeCluster) asks() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.asked
}

func (c *fakeCluster) give(server int, slots ...int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, slot := range slots {
		c.owners[slot] = server
	}
}

func (c *fakeCluster) serve(me int, conn net.Conn) {
	defer conn.Close()
	in, out := bufio.NewReader(conn), bufio.NewWriter(conn)
	asking := false
	for {
		words, err := readCommand(in)
		if err != nil {
			return
		}
		c.mu.Lock()
		answer := c.answer(me, words, asking)
		c.mu.Unlock()
		asking = strings.EqualFold(words[0], "asking")
		_, _ = out.WriteString(answer)
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

func (c *fakeCluster) answer(me int, words []string, asking bool) string {
	switch words[0] {
	case "ping":
		return "+PONG\r\n"
	case "asking":
		return ok
	case "cluster":
		c.asked++

		return c.slots()
	}
	slot := wire.Slot([]byte(words[1]))
	for _, key := range words[2:] {
		if words[0] == "mget" && wire.Slot([]byte(key)) != slot {
			return "-CROSSSLOT Keys in request don't hash to the same slot\r\n"
		}
	}
	to, moving := c.importing[slot]
	switch {
	case len(c.refuse) > 0:
		says := c.refuse[0]
		c.refuse = c.refuse[1:]

		return says
	case c.owners[slot] == me && moving:
		return fmt.Sprintf("-ASK %d %s\r\n", slot, c.address(to))
	case c.owners[slot] != me && (!asking || !moving || to != me):
		return fmt.Sprintf("-MOVED %d %s\r\n", slot, c.address(c.owners[slot]))
	}
	c.executed[words[0]]++
	switch words[0] {
	case "set":
		c.values[words[1]] = words[2]

		return ok
	case "get":
		if value, is := c.values[words[1]]; is {
			return bulk(value)
		}

		return null
	case "mget":
		return "*" + fmt.Sprint(len(words)-1) + "\r\n" + strings.Repeat(null, len(words)-1)
	default:
		return integer(len(words))
	}
}

func (c *fakeCluster) address(server int) string {
	_, port, _ := net.SplitHostPort(c.addresses[server])
	if c.noHost {
		return ":" + port
	}

	return c.addresses[server]
}

func (c *fakeCluster) slots() string {
	ranges, n := "", 0
	for first := 0; first < wire.Slots; {
		last := first
		for last+1 < wire.Slots && c.owners[last+1] == c.owners[first] {
			last++
		}
		host, port, _ := net.SplitHostPort(c.address(c.owners[first]))
		ranges += fmt.Sprintf("*3\r\n:%d\r\n:%d\r\n*3\r\n%s:%s\r\n%s", first, last, bulk(host), port, bulk("id"))
		first, n = last+1, n+1
	}

	return fmt.Sprintf("*%d\r\n", n) + ranges
}

func (c *fakeCluster) client(options string) *vu {
	v := newVU(c.t)
	require.NoError(c.t, v.JS.Set("first", c.addresses[0]))
	v.Run(`var client = new resp.Client(first, { cluster: true, ` + options + ` })`)

	return v
}

const (
	someSets  = `client.run({ iterations: 600, mix: { set: 1 }, keys: { count: 200 } })`
	updates   = `client.ycsb({ recordCount: 200, mix: { update: 1 } }, { phase: 'run', iterations: 600 })`
	pipelined = `client.run({ iterations: 600, mix: { get: 1, set: 1, delete: 1 }, pipeline: 30, keys: { count: 200 } })`
)

func TestClusterSpreadsKeys(t *testing.T) {
	for _, noHost := range []bool{false, true} {
		c := startFakeCluster(t, 3)
		c.noHost = noHost
		v := c.client(``)
		v.Run(`client.connect()`)
		require.Equal(t, 3.0, v.Counted(metricOps, "op", "connect", "outcome", "ok"))
		require.Equal(t, result{Succeeded: 600}, justCounts(v.bench(someSets)))
		require.Equal(t, 600, c.done("set"))
		r := v.bench(pipelined)
		require.Equal(t, 600, r.Succeeded)
		require.Equal(t, 1200, c.done("set", "get", "del", "hset"))
		require.Equal(t, 1, c.asks(), "all slots were known, and no server sent a client elsewhere")
		require.Equal(t, 1200.0, v.Counted(metricOps, "outcome", "ok")-v.Counted(metricOps, "op", "connect"))
		v.CancelContext()
	}
	requireNoneLeft(t)
}

func justCounts(r result) result { return result{Succeeded: r.Succeeded, Failed: r.Failed} }

// Whatever a server answers in place of executing a command, the operation is done once.
func TestClusterThatChanges(t *testing.T) {
	for name, change := range map[string]func(c *fakeCluster){
		"slots have moved": func(c *fakeCluster) {
			for slot := range wire.Slots {
				c.owners[slot] = 2
			}
		},
		"a slot moves": func(c *fakeCluster) {
			for slot := range wire.Slots {
				c.importing[slot] = (c.owners[slot] + 1) % 3
			}
		},
		"it is down for a while": func(c *fakeCluster) { c.refuse = slices.Repeat([]string{"-CLUSTERDOWN The cluster is down\r\n"}, 5) },
		"a server loads":         func(c *fakeCluster) { c.refuse = slices.Repeat([]string{"-LOADING Redis is loading\r\n"}, 4) },
		"keys are on both":       func(c *fakeCluster) { c.refuse = []string{"-TRYAGAIN Multiple keys\r\n"} },
	} {
		for _, script := range []string{someSets, pipelined, updates} {
			c := startFakeCluster(t, 3)
			v := c.client(``)
			v.Run(`client.connect()`)
			c.mu.Lock()
			change(c)
			c.mu.Unlock()
			require.Equal(t, result{Succeeded: 600}, justCounts(v.bench(script)), name)
			require.Equal(t, 600, c.done("set", "get", "del", "hset"), "%s: each once", name)
			require.Equal(t, 600.0, v.Counted(metricOps, "outcome", "ok")-v.Counted(metricOps, "op", "connect", "outcome", "ok"))
			require.LessOrEqual(t, c.asks(), 10, "%s: clients do not ask for all slots again and again", name)
		}
	}
}

func slotsOf(first, end int) (slots []int) {
	for slot := first; slot < end; slot++ {
		slots = append(slots, slot)
	}

	return slots
}

func TestClusterServerDies(t *testing.T) {
	for script, most := range map[string]int{someSets: 1, pipelined: 30} {
		c := startFakeCluster(t, 3)
		v := c.client(`connectTimeout: '1s'`)
		v.Run(`client.connect()`)
		c.kill(1)
		go func() {
			time.Sleep(100 * time.Millisecond)
			c.give(0, slotsOf(0, wire.Slots*2/3)...)
		}()
		r := v.bench(script)
		require.Equal(t, 600, r.Succeeded+r.Failed)
		require.LessOrEqual(t, r.Failed, most)
		require.Equal(t, r.Succeeded, c.done("set", "get", "del", "hset"))
	}
}

func TestClusterThatCannot(t *testing.T) {
	c := startFakeCluster(t, 2)
	v := c.client(`timeout: '200ms'`)
	c.mu.Lock()
	c.refuse = slices.Repeat([]string{"-CLUSTERDOWN Hash slot not served\r\n"}, 1000)
	c.mu.Unlock()
	require.Equal(t, result{Failed: 1}, justCounts(v.bench(`client.run({ iterations: 1, mix: { set: 1 } })`)))
	require.Equal(t, 1.0, v.Counted(metricOps, "op", "set", "outcome", k6x.KindBusy))
	c.mu.Lock()
	c.refuse = nil
	c.mu.Unlock()
	require.Equal(t, "the keys of one command must be in one slot of the cluster: give them a hash tag, such as {user:1}, or use commands of "+
		"one key, with the option pipeline", v.Abort(`client.run({ iterations: 1, mix: { getMulti: 1 } })`))
	v = c.client(``)
	require.Equal(t, 5, v.bench(`client.run({ iterations: 5, mix: { getMulti: 1 }, keys: { prefix: '{one}:' } })`).Succeeded)

	for i := range c.listeners {
		c.kill(i)
	}
	v = c.client(``)
	require.Contains(t, v.fail(`client.connect()`).Message, "cannot connect to "+c.addresses[0]+": ")
	require.Equal(t, result{Failed: 3}, justCounts(v.bench(`client.run({ iterations: 3, mix: { set: 1 } })`)), "at once")

	v = newVU(t)
	require.Contains(t, v.Abort(`new resp.Client(url, { cluster: true }).run({ iterations: 1 })`), "the server is no node of a Redis Cluster")
	for options, says := range map[string]string{
		`'redis://h:1/3', { cluster: true }`:                "cluster: a cluster has database 0 and no other, not 3",
		`'/tmp/x.sock', { cluster: true }`:                  "cluster: the servers of a cluster are host:port, not unix sockets",
		`'redis://:a@h:1,redis://:b@i:1', { cluster: true}`: "cluster: the servers of a cluster have one user, one password, and TLS or not: those of the first url",
		`'h', { protocol: 4 }`:                              "protocol must be 2 or 3, the version of RESP, not 4",
		`'h', { cluster: 'yes' }`:                           "option cluster must be true or false, not a string",
	} {
		require.Equal(t, "new Client: "+says, v.fail(`new resp.Client(`+options+`)`).Message)
	}
}

func TestClusterRunsCommands(t *testing.T) {
	c := startFakeCluster(t, 3)
	v := c.client(``)
	r := v.bench(`client.run({ iterations: 300, pipeline: 10, keys: { count: 50 }, commands: [
		{ op: 'count', args: ['HSET', '{{key}}:h', 'f', '{value}', 5], reply: { type: 'integer', value: 5 + '' } },
		{ op: 'fixed', args: ['XADD', 'stream', '*'] },
	] })`)
	require.Equal(t, result{Succeeded: 300}, justCounts(r))
	require.Equal(t, 300, c.done("HSET", "XADD"))
	require.Positive(t, c.done("XADD"))
	require.Equal(t, float64(c.done("HSET")), v.Counted(metricOps, "op", "count", "outcome", "ok"))
	require.Equal(t, 1, c.asks())
	r = v.bench(`client.run({ iterations: 3, commands: [{ op: 'c', args: ['HSET', '{key}'], reply: { value: '7' } }] })`)
	require.Equal(t, 3, r.Wrong)
	for options, says := range map[string]string{
		`[{ op: 'x', args: ['subscribe', 'a'] }]`:                  "run: option commands[0]: args: subscribe changes the connection, which only the module does",
		`[{ op: 'x', args: ['GET'], reply: { type: 'text' } }]`:    `run: option commands[0]: reply.type must be string, integer, double, boolean, null, array, map, set, not "text"`,
		`[{ op: 'x y', args: ['GET'] }]`:                           `run: option commands[0].op must be a name: a letter, and then letters, digits, - _ and ., not "x y"`,
		`[{ op: 'x', args: [] }]`:                                  `run: option commands[0].args must be 1 to 1000 strings and numbers: the command's name and its arguments`,
		`[{ op: 'x', args: [{}] }]`:                                `run: option commands.args must be an array of strings and numbers: the command's name and its arguments`,
		`[{ op: 'x', args: ['A'], share: 0 }]`:                     `run: option commands[0].share must be above 0, not 0`,
		`[{ op: 'x', args: ['A'] }, { op: 'x', args: ['B'] }]`:     `run: option commands[1].op is "x", which another command has: give each a name of its own`,
		`[{ op: 'x', args: ['A'] }], mix: { get: 1 }`:              `run: options mix and commands cannot both be given: commands have shares of their own`,
		`[{ op: 'x', args: ['GET', '{key}'], replies: { a: 1 } }]`: `run: unknown option "replies"; known are `,
	} {
		require.Contains(t, v.fail(`client.run({ iterations: 1, commands: `+options+` })`).Message, says)
	}
}

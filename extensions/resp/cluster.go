package resp

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// cluster is a client's view of a Redis Cluster: a connection to each primary.
//
// A command is repeated only if it was not executed: the server says so (MOVED, ASK, TRYAGAIN,
// CLUSTERDOWN, LOADING), or there was no connection. The operation's duration includes that.
// If the connection breaks before the answer, the operation has failed.
type cluster struct {
	*client

	topology *topology

	parts []part
	again []undone
}

func (c *cluster) node(server int) *node {
	for len(c.nodes) <= server {
		s := c.config.Servers[0]
		s.Address = c.topology.address(len(c.nodes))
		n := c.newNode(&s)
		c.mu.Lock()
		c.nodes = append(c.nodes, &n)
		c.mu.Unlock()
	}

	return c.nodes[server]
}

func (c *cluster) primaries() (nodes []*node, err error) {
	servers := c.topology.primaries()
	if len(servers) == 0 {
		if err := c.ask(c.all()); err != nil {
			return nil, err
		}
		servers = c.topology.primaries()
	}
	for _, server := range servers {
		nodes = append(nodes, c.node(server))
	}

	return nodes, nil
}

func (c *cluster) all(first ...*node) []*node {
	nodes := first
	for server := range c.topology.count() {
		if n := c.node(server); len(first) == 0 || n != first[0] {
			nodes = append(nodes, n)
		}
	}

	return nodes
}

func (c *cluster) ask(nodes []*node) (err error) {
	for _, n := range nodes {
		failed := n.do(func(conn *wire.Conn) error {
			return conn.ClusterSlots(func(first, last int, address string) {
				c.topology.assign(first, last, c.topology.server(n.peer(address)))
			})
		})
		if failed == nil {
			return nil
		}
		err = cmp.Or(err, failed)
	}

	return err
}

// refresh asks unless a client asks now, or has done so within askEvery.
func (c *cluster) refresh(nodes []*node) (asked bool, err error) {
	t := c.topology
	if !t.asking.CompareAndSwap(false, true) {
		return false, nil
	}
	defer t.asking.Store(false)
	if now := clock.Now(); t.asked == 0 || now-t.asked >= askEvery {
		t.asked, asked = now, true
		err = c.ask(nodes)
	}

	return asked, err
}

func (n *node) peer(address string) string {
	port, is := strings.CutPrefix(address, ":")
	if !is {
		return address
	}
	host, _, _ := net.SplitHostPort(n.server.Address)

	return net.JoinHostPort(host, port)
}

func (c *cluster) owner(slot int) (server int, err error) {
	server, known := c.topology.owner(slot)
	if !known {
		if err := c.ask(c.all()); err != nil {
			return 0, err
		}
		server, _ = c.topology.owner(slot)
	}

	return max(server, 0), nil // the first server answers that no server has the slot
}

func (c *cluster) do(slot int, job func(*wire.Conn) error) error {
	server, err := c.owner(slot)
	if err != nil {
		return err
	}
	n := c.node(server)
	if err = n.do(job); err == nil {
		return nil
	}

	return c.follow(n, slot, err, job)
}

// notDone reports whether err means that a command was not executed, and can be sent again.
func notDone(err error) bool {
	said, is := errors.AsType[*wire.Error](err)
	if !is {
		return false
	}
	switch said.Code {
	case wire.Moved, wire.Ask, wire.TryAgain, wire.ClusterDown, wire.CrossSlot, wire.Loading:
		return true
	}

	return said.Kind == wire.KindConnect
}

// retryPause is the pause before a command is repeated. The first freeRedirects redirections need
// none.
const (
	retryPause    = 20 * time.Millisecond
	freeRedirects = 3
)

// follow repeats a job that n has not executed because of err, until it is done, fails, or
// timeout has passed.
func (c *cluster) follow(n *node, slot int, err error, job func(*wire.Conn) error) error {
	for begin, tries := clock.Now(), 0; notDone(err); tries++ {
		said, _ := errors.AsType[*wire.Error](err)
		if said.Code == wire.CrossSlot {
			return unusable{&wire.Error{Kind: wire.KindUsage, Message: crossSlot}}
		}
		redirected := said.Address != ""
		if clock.Since(begin) >= c.config.Timeout {
			return c.tooLate(said)
		}
		if !redirected || tries >= freeRedirects {
			c.pause()
		}
		next := job
		switch {
		case redirected && said.Code == wire.Ask:
			n = c.node(c.topology.server(n.peer(said.Address)))
			next = func(conn *wire.Conn) error {
				conn.Asking()

				return job(conn)
			}
		case redirected:
			n = c.moved(n, said)
		default:
			if n, err = c.reconsidered(n, slot, said); err != nil {
				return err
			}
		}
		err = n.do(next)
	}

	return err
}

// moved also requests all slots, because others have probably moved too.
func (c *cluster) moved(from *node, said *wire.Error) *node {
	server := c.topology.server(from.peer(said.Address))
	n := c.node(server)
	if owner, _ := c.topology.owner(said.Slot); owner != server {
		_, _ = c.refresh(c.all(n))
	}
	c.topology.assign(said.Slot, said.Slot, server)

	return n
}

// reconsidered returns the server's error if no other server answers.
func (c *cluster) reconsidered(n *node, slot int, said *wire.Error) (*node, error) {
	if said.Code != wire.TryAgain {
		others := c.all(n)[1:]
		asked, err := c.refresh(others)
		if asked && (err != nil || len(others) == 0 && said.Kind == wire.KindConnect) {
			return n, said
		}
	}

	server, err := c.owner(slot)

	return c.node(server), err
}

func (c *cluster) tooLate(said *wire.Error) error {
	kind := said.Kind
	if kind == wire.KindUsage { // of MOVED and ASK
		kind = wire.KindBusy
	}

	message := fmt.Sprintf("the cluster has not done the command within timeout (%s): %s", c.config.Timeout, said.Message)

	return &wire.Error{Kind: kind, Message: message}
}

const crossSlot = "the keys of one command must be in one slot of the cluster: give them a hash tag, " +
	"such as {user:1}, or use commands of one key, with the option pipeline"

func (c *cluster) pause() {
	ctx := c.VU().Context()
	if c.seat.Inside() {
		c.seat.Sleep(ctx, clock.Now()+retryPause)

		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(retryPause):
	}
}

type part struct {
	batch     *batch
	positions []int // positions of its commands in the pipeline
	node      *node
	conn      *wire.Conn
	started   wire.Started
}

type undone struct {
	position int
	node     *node
}

// Request implements wire.Pipeline.
func (p *part) Request(i int) wire.Request { return p.batch.Request(p.positions[i]) }

// Answered implements wire.Pipeline.
func (p *part) Answered(i int, answer wire.Reply, err error) {
	if notDone(err) {
		p.undone(p.positions[i], err)
	} else {
		p.batch.Answered(p.positions[i], answer, err)
	}
}

func (p *part) undone(position int, err error) {
	p.batch.commands[position].Err = err
	c := p.batch.store.cluster
	c.again = append(c.again, undone{position, p.node})
}

// Commands that were not executed are repeated one by one.
func (c *cluster) pipeline(b *batch) {
	c.split(b)
	c.seat.Begin()
	for i := range c.parts {
		p := &c.parts[i]
		if len(p.positions) == 0 {
			continue
		}
		var err error
		if p.conn, err = p.node.usable(); err != nil {
			for _, position := range p.positions {
				p.undone(position, err)
			}
		}
	}
	for i := range c.parts {
		if p := &c.parts[i]; p.conn != nil {
			p.started = p.conn.Start(len(p.positions), p)
		}
	}
	waited := c.seat.Waited
	for i := range c.parts {
		if p := &c.parts[i]; p.conn != nil {
			c.finish(b, p)
			c.seat.Waited = nil
		}
	}
	c.seat.Waited = waited
	for _, u := range c.again {
		c.redo(b, u)
	}
}

func (c *cluster) split(b *batch) {
	c.again = c.again[:0]
	for i := range c.parts {
		p := &c.parts[i]
		p.positions, p.conn = p.positions[:0], nil
	}
	for position := range b.commands {
		server, err := c.owner(wire.Slot(b.commands[position].Key))
		if err != nil {
			b.fail(position, err)

			continue
		}
		for len(c.parts) <= server {
			c.parts = append(c.parts, part{})
		}
		p := &c.parts[server]
		p.batch, p.node = b, c.node(server)
		p.positions = append(p.positions, position)
	}
}

func (c *cluster) finish(b *batch, p *part) {
	var err error
	b.store.values, err = p.conn.Finish(p.started, len(p.positions), p, b.store.values)
	if err = p.node.after(p.conn, err); err == nil {
		return
	}
	for _, position := range p.positions {
		if command := &b.commands[position]; !command.Answered && command.Err == nil {
			b.fail(position, err)
		}
	}
}

func (c *cluster) redo(b *batch, u undone) {
	command, alone := &b.commands[u.position], part{batch: b, positions: []int{u.position}, node: u.node}
	err := c.follow(u.node, wire.Slot(command.Key), command.Err, func(conn *wire.Conn) (err error) {
		command.Err = nil
		b.store.values, err = conn.Pipeline(1, &alone, b.store.values)
		if err == nil && !command.Answered {
			err = command.Err
		}

		return err
	})
	if err != nil {
		b.fail(u.position, err)
	}
}

// topology is the process's knowledge of a cluster: which server has which slot. All clients share
// it.
type topology struct {
	// owners are indices of servers, plus one; 0 for an unknown owner.
	owners [wire.Slots]atomic.Int32

	mu      sync.Mutex
	servers []string // addresses; it only grows

	asking atomic.Bool
	asked  time.Duration // when a client asked last; guarded by asking
}

const askEvery = 100 * time.Millisecond

func newTopology(seeds []server) *topology {
	t := &topology{}
	for _, s := range seeds {
		t.server(s.Address)
	}

	return t
}

func (t *topology) server(address string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.servers, address); i >= 0 {
		return i
	}
	t.servers = append(t.servers, address)

	return len(t.servers) - 1
}

func (t *topology) address(server int) string {
	t.mu.Lock()
	defer t.mu.Unlock()

	return t.servers[server]
}

func (t *topology) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()

	return len(t.servers)
}

func (t *topology) owner(slot int) (server int, known bool) {
	owner := int(t.owners[slot].Load())

	return owner - 1, owner > 0
}

func (t *topology) assign(first, last, server int) {
	for slot := first; slot <= last; slot++ {
		t.owners[slot].Store(int32(server) + 1)
	}
}

func (t *topology) primaries() (servers []int) {
	for slot := range t.owners {
		if server, known := t.owner(slot); known && !slices.Contains(servers, server) {
			servers = append(servers, server)
		}
	}

	return servers
}

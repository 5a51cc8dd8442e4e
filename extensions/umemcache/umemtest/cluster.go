package umemtest

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// Cluster is a group of servers that answer INIT, LEADER, CLUSTER and AUTHORITY. They do not elect
// a leader or move keys: the test sets the leader and removes members. Each has one port; real ones
// have a second port for administrators.
type Cluster struct {
	Servers []*Server

	mu       sync.Mutex
	version  uint64
	machines []machine // empty before INIT
	leader   int       // -1: none
}

type machine struct {
	address   netip.AddrPort
	available bool
	version   uint64
}

const (
	commandInit      = 3
	commandChange    = 4
	commandLeader    = 6
	commandCluster   = 7
	commandConnect   = 8
	commandAuthority = 9
)

const machineSize = 40

// StartCluster starts n servers, which end with the test. They form a cluster when one of them gets
// INIT.
func StartCluster(tb testing.TB, o Options, n int) *Cluster {
	tb.Helper()
	c := &Cluster{}
	for range n {
		s := newServer(tb, o)
		s.cluster = c
		c.Servers = append(c.Servers, s)
		tb.Cleanup(s.Close)
		s.start()
	}

	return c
}

// Addresses returns the servers' addresses.
func (c *Cluster) Addresses() []string {
	addresses := make([]string, 0, len(c.Servers))
	for _, s := range c.Servers {
		addresses = append(addresses, s.Address())
	}

	return addresses
}

// SetLeader makes the server with this index the leader; -1: none.
func (c *Cluster) SetLeader(i int) {
	c.mu.Lock()
	c.leader = i
	c.mu.Unlock()
	for _, s := range c.Servers {
		s.Disconnect()
	}
}

// Remove stops a server and gives the cluster a new version without it.
func (c *Cluster) Remove(tb testing.TB, i int) {
	tb.Helper()
	c.Servers[i].Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	require.NotEqual(tb, c.leader, i, "choose another leader first")
	c.machines[i].available = false
	c.version++
}

// Renew gives the cluster a new version, like any change of its members.
func (c *Cluster) Renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
}

func (c *Cluster) admin(p *peer) bool {
	switch p.buffer[0] {
	case commandInit, commandChange:
		if p.await(16) {
			c.change(p)
		}

		return false
	case commandLeader:
		p.write(c.answerLeader()...)

		return false
	case commandCluster:
		p.write(c.answerCluster(p.order())...)

		return false
	case commandAuthority:
		c.authority(p)

		return false
	default:
		return p.buffer[0] == commandConnect
	}
}

func (c *Cluster) change(p *peer) {
	size := p.order().Uint64(p.buffer[8:])
	if size > 1<<20 || size%machineSize != 0 || !p.await(16+int(size)) {
		return
	}
	var machines []machine
	for record := p.buffer[16 : 16+size]; len(record) > 0; record = record[machineSize:] {
		ip := netip.AddrFrom16([16]byte(record))
		machines = append(machines, machine{
			address:   netip.AddrPortFrom(ip, binary.BigEndian.Uint16(record[16:])),
			available: true,
			version:   uint64(len(machines) + 1),
		})
	}
	c.mu.Lock()
	c.version++
	c.machines = machines
	for i, m := range machines {
		if m.address.String() == p.server.Address() {
			c.leader = i
		}
	}
	c.mu.Unlock()
	p.write(0)
}

// answerLeader returns 20 bytes: an address, a port, whether there is no leader (the rest is
// garbage then), and a zero.
func (c *Cluster) answerLeader() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.leader < 0 || len(c.machines) == 0 {
		return append(netip.IPv6LinkLocalAllRouters().AsSlice(), 0xAA, 0xAA, 1, 0)
	}
	address := c.machines[c.leader].address
	answer := binary.BigEndian.AppendUint16(address.Addr().AsSlice(), address.Port())

	return append(answer, 0, 0)
}

func (c *Cluster) answerCluster(order binary.ByteOrder) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	answer := make([]byte, 24+machineSize*len(c.machines))
	order.PutUint64(answer[8:], uint64(machineSize*len(c.machines)))
	order.PutUint64(answer[16:], c.version)
	for i, m := range c.machines {
		record := answer[24+machineSize*i:]
		copy(record, m.address.Addr().AsSlice())
		binary.BigEndian.PutUint16(record[16:], m.address.Port())
		order.PutUint32(record[20:], uint32(i+1))
		if m.available {
			order.PutUint64(record[24:], 1)
		}
		order.PutUint64(record[32:], m.version)
	}

	return answer
}

func (c *Cluster) authority(p *peer) {
	for count := uint64(0); ; {
		c.mu.Lock()
		version := c.version
		leads := len(c.machines) > 0 && c.leader >= 0 && c.Servers[c.leader] == p.server
		c.mu.Unlock()

		answer := make([]byte, 16)
		p.order().PutUint64(answer, version)
		p.order().PutUint64(answer[8:], count)
		if !p.write(answer...) || !leads {
			return
		}
		chunk, ok := <-p.input
		if !ok {
			return
		}
		count = p.requests(chunk)
	}
}

func (p *peer) requests(chunk []byte) uint64 {
	if p.server.options.Generation == wire.G1 {
		return uint64(len(chunk))
	}
	sum := uint64(0)
	for _, b := range chunk {
		sum += uint64(b)
	}

	return sum
}

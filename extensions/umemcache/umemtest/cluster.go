package umemtest

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// Cluster is a group of servers that answer LEADER, CLUSTER and AUTHORITY. They do not elect
// a leader or move keys: the test sets the leader and removes members. Each has one port; real ones
// have a second port for administrators.
type Cluster struct {
	Servers []*Server

	mu       sync.Mutex
	version  uint64
	machines []machine
	leader   int // -1: none
}

type machine struct {
	address   netip.AddrPort
	available bool
	version   uint64
}

const (
	commandLeader    = 6
	commandCluster   = 7
	commandConnect   = 8
	commandAuthority = 9
)

const machineSize = 40

// StartCluster starts a cluster of n servers, which end with the test. The first one leads.
func StartCluster(tb testing.TB, o Options, n int) *Cluster {
	tb.Helper()
	c := &Cluster{version: 1}
	for i := range n {
		s := newServer(tb, o)
		s.cluster = c
		c.Servers = append(c.Servers, s)
		c.machines = append(c.machines, machine{
			address: netip.MustParseAddrPort(s.Address()), available: true, version: uint64(i + 1),
		})
		tb.Cleanup(s.Close)
	}
	for _, s := range c.Servers {
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

// Dissolve leaves the servers without a cluster.
func (c *Cluster) Dissolve() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.machines = nil
}

// Renew gives the cluster a new version, like any change of its members.
func (c *Cluster) Renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
}

func (c *Cluster) admin(p *peer) bool {
	switch p.buffer[0] {
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

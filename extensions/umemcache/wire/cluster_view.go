package wire

import (
	"io"
	"net/netip"
	"time"
)

type view struct {
	version   uint64
	members   []member
	nodes     []string
	threads   map[string][]*thread // threads of available machines, by address
	authority *authority
}

type member struct {
	version uint64    // version of the machine
	threads []*thread // threads of the machine, or of the next available one
}

func (k *Cluster) outdated(v *view) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.view == v {
		k.view = nil
	}
}

func (k *Cluster) known() (*view, *Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, newError(KindUsage, nil, "the connections were closed")
	}

	return k.view, nil
}

func (k *Cluster) current(c *Client) (*view, *Error) {
	if v, e := k.known(); v != nil || e != nil {
		return v, e
	}
	expiry := time.NewTimer(time.Until(c.deadline))
	defer expiry.Stop()
	select {
	case k.learning <- struct{}{}:
		defer func() { <-k.learning }()
	case <-expiry.C:
		return nil, newError(KindCluster, nil, "the cluster does not settle in time")
	case <-c.ctx.Done():
		return nil, c.cancelled()
	}
	if v, e := k.known(); v != nil || e != nil {
		return v, e
	}

	return k.learn(c)
}

func (k *Cluster) learn(c *Client) (*view, *Error) {
	k.mu.Lock()
	last := k.last
	k.mu.Unlock()
	nodes := []string{k.node}
	if last != nil {
		nodes = append(nodes, last.nodes...)
	}
	var why *Error
	for {
		for _, node := range nodes {
			v, e := k.learnFrom(c, node, last)
			if e == nil {
				return v, k.adopt(v, last)
			}
			if why == nil || time.Now().Before(c.deadline) {
				why = e // keep earlier errors: one caused by the deadline says less
			}
		}
		if !c.pause() {
			return nil, newError(KindCluster, why, "the cluster does not settle in time: %s", why)
		}
	}
}

func (k *Cluster) adopt(v, last *view) *Error {
	k.mu.Lock()
	closed := k.closed
	if !closed {
		k.view, k.last = v, v
	}
	k.mu.Unlock()
	if last != nil {
		last.authority.close()
		for address, threads := range last.threads {
			if v.threads[address] == nil || closed {
				for _, t := range threads {
					t.close()
				}
			}
		}
	}
	if closed {
		v.authority.close()

		return newError(KindUsage, nil, "the connections were closed")
	}

	return nil
}

func (k *Cluster) learnFrom(c *Client, node string, last *view) (*view, *Error) {
	g := k.options.Generation
	var leader netip.AddrPort
	if e := c.ask(node, commandLeader, func(r io.Reader) (err error) {
		leader, err = ReadLeader(r)

		return err
	}); e != nil {
		return nil, e
	}
	var state *State
	if e := c.ask(leader.String(), commandCluster, func(r io.Reader) (err error) {
		state, err = ReadState(r, g)

		return err
	}); e != nil {
		return nil, e
	}
	v, e := k.newView(state, last)
	if e != nil {
		return nil, e
	}

	conn, e := c.open(leader.String(), commandAuthority, func(r io.Reader) error {
		_, _, err := ReadApproval(r, g)

		return err
	})
	if e != nil {
		return nil, e
	}
	v.authority = newAuthority(conn, g)

	return v, nil
}

// newView keeps existing connections.
func (k *Cluster) newView(s *State, last *view) (*view, *Error) {
	v := &view{version: s.Version, members: make([]member, len(s.Machines)), threads: map[string][]*thread{}}
	var route []*thread
	for i := 2*len(s.Machines) - 1; i >= 0; i-- { // twice around, as the first machine follows the last
		m := s.Machines[i%len(s.Machines)]
		address := m.Address.String()
		if m.Available() {
			if route = v.threads[address]; route == nil {
				if last != nil {
					route = last.threads[address]
				}
				if route == nil {
					route = newThreads(address, &k.options)
				}
				v.threads[address] = route
			}
		}
		if i < len(s.Machines) {
			v.members[i] = member{version: m.Version, threads: route}
			v.nodes = append(v.nodes, address)
		}
	}
	if route == nil {
		return nil, newError(KindCluster, nil, "no machine of the cluster is available")
	}

	return v, nil
}

// open connects to a cluster's node, sends a command and reads the answer.
func (c *Client) open(node string, command byte, read func(io.Reader) error) (*conn, *Error) {
	return c.target.settings().dial(c, node, func(conn *conn) *Error {
		if err := conn.write([]byte{command}); err != nil {
			return broken(err, "a request to a cluster's node")
		}
		if err := read(conn.stream); err != nil {
			return asError(err)
		}

		return nil
	})
}

func (c *Client) ask(node string, command byte, read func(io.Reader) error) *Error {
	conn, e := c.open(node, command, read)
	if e == nil {
		conn.Close()
	}

	return e
}

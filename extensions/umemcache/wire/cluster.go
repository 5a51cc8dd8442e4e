package wire

import (
	"slices"
	"sync"
	"time"
)

const (
	maxClusterKey = maxKey - 8 // without the machine's version, which precedes it

	clusterPause = 100 * time.Millisecond
)

// Cluster holds the connections to the members of a cluster of servers that were built with
// RAFT.
//
// An operation is valid only if the leader approves it in the version of the cluster in which
// it was done. Otherwise, or if a member cannot be reached, the client asks again for the
// leader and the members, and repeats the operation until its timeout.
type Cluster struct {
	options Options
	node    string

	learning chan struct{}

	mu     sync.Mutex
	view   *view // nil: unknown
	last   *view
	closed bool
}

// NewCluster returns the cluster of the node at host:port. It connects when needed. It returns an
// error if the address or an option is invalid.
func NewCluster(node string, options Options) (*Cluster, error) {
	if err := CheckAddress(node); err != nil {
		return nil, err
	}
	if err := options.Validate(); err != nil {
		return nil, err
	}

	return &Cluster{options: options, node: node, learning: make(chan struct{}, 1)}, nil
}

// Close closes the idle connections now, and the others after their operations. Later operations
// fail.
func (k *Cluster) Close() {
	k.mu.Lock()
	last := k.last
	k.closed, k.view, k.last = true, nil, nil
	k.mu.Unlock()
	if last == nil {
		return
	}
	last.authority.close()
	for _, threads := range last.threads {
		for _, t := range threads {
			t.close()
		}
	}
}

func (k *Cluster) settings() *Options { return &k.options }

func (*Cluster) maxKey() int { return maxClusterKey }

func (k *Cluster) connect(c *Client) *Error {
	connected := map[*thread]bool{}

	return k.settled(c, func(v *view) *Error {
		for _, threads := range v.threads {
			for _, t := range threads {
				if connected[t] {
					continue
				}
				if e := t.addOne(c); e != nil {
					return e
				}
				connected[t] = true
			}
		}

		return nil
	})
}

func (k *Cluster) settled(c *Client, job func(*view) *Error) *Error {
	for {
		v, e := k.current(c)
		if e != nil {
			return e
		}
		if e = job(v); e == nil || !isUnsettled(e) {
			return e
		}
		k.outdated(v)
		if !c.pause() {
			return e
		}
	}
}

func (k *Cluster) do(c *Client, key []byte) *Error {
	h1, h2 := Hash(key)

	return k.settled(c, func(v *view) *Error {
		place, number := k.options.Generation.Place(h1, h2, len(v.members), k.options.Threads)
		m := v.members[place]
		c.key = k.options.Generation.order().AppendUint64(c.key[:0], m.version)
		c.key = append(c.key, key...)
		approval := v.authority.request()
		e := c.on(m.threads[number])
		if e == nil {
			e = c.await(approval, v.version)
		}
		if e != nil && c.isLate(e) && !isApproved(approval, v.version) {
			k.outdated(v)
		}

		return e
	})
}

func isUnsettled(e *Error) bool {
	return e.gone || e.full || slices.Contains([]Kind{KindConnect, KindRefused, KindConnection, KindCluster}, e.Kind)
}

func (c *Client) isLate(e *Error) bool {
	return c.cancelled() == nil && slices.Contains([]Kind{KindTimeout, KindLockWait, KindBusy}, e.Kind)
}

func isApproved(approval <-chan uint64, version uint64) bool {
	select {
	case v, ok := <-approval:
		return ok && v == version
	default:
		return false
	}
}

func (c *Client) await(approval <-chan uint64, version uint64) *Error {
	expiry := time.NewTimer(time.Until(c.deadline))
	defer expiry.Stop()
	select {
	case v, ok := <-approval:
		switch {
		case !ok:
			return newError(KindCluster, nil, "the cluster's leader ended the connection")
		case v != version:
			return newError(KindCluster, nil, "the cluster has changed: its version was %d and is %d", version, v)
		}

		return nil
	case <-expiry.C:
	case <-c.ctx.Done():
	}

	return newError(KindTimeout, nil, "no answer in time: the cluster's leader approves nothing")
}

func (c *Client) pause() bool {
	if time.Until(c.deadline) < clusterPause {
		return false
	}
	timer := time.NewTimer(clusterPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-c.ctx.Done():
		return false
	}
}

package resp

import (
	"errors"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// Get implements workload.Store.
func (n *node) Get(key, buf []byte) (value []byte, hit bool, err error) {
	value = buf[:0]
	err = n.do(func(conn *wire.Conn) (err error) {
		value, hit, err = conn.Get(key, buf)

		return err
	})
	n.counted("get", err, hit)

	return value, hit, err
}

// Set implements workload.Store.
func (n *node) Set(key, value []byte, ttl int) error {
	return refused(n.command("set", &wire.Request{Verb: wire.Set, Key: key, Value: value, TTL: ttl}))
}

// Delete implements workload.Store.
func (n *node) Delete(key []byte) error {
	return n.command("delete", &wire.Request{Verb: wire.Delete, Key: key})
}

// Touch implements workload.Toucher.
func (n *node) Touch(key []byte, ttl int) error {
	return n.command("touch", &wire.Request{Verb: wire.Touch, Key: key, TTL: ttl})
}

func (n *node) command(operation string, q *wire.Request) error {
	err := n.do(func(conn *wire.Conn) error { return conn.Do(q) })
	n.counts.Count(operation, err)

	return err
}

// refused marks errors of a set that mean that the server does not store the value.
func refused(err error) error {
	if said, is := errors.AsType[*wire.Error](err); is && said.Kind == wire.KindFull {
		return fmt.Errorf("%w: %w", workload.ErrRefused, err)
	}

	return err
}

// GetMulti implements workload.MultiGetter.
func (n *node) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	hits := 0
	err := n.do(func(conn *wire.Conn) (err error) {
		n.values, err = conn.GetMulti(keys, n.values, func(i int, value []byte) {
			hits++
			got(i, value)
		})

		return err
	})
	misses := len(keys) - hits
	if err != nil {
		hits, misses = 0, 0
	}
	n.counts.Count("getMulti", err, hits, misses)

	return err
}

type batch struct {
	node     *node
	commands []workload.Command
	got      func(i int, value []byte)
	done     [workload.NumOps]struct{ all, hits int }
}

// Pipeline implements workload.Pipeliner.
func (n *node) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	n.batch = batch{node: n, commands: commands, got: got}
	err := n.do(func(conn *wire.Conn) (err error) {
		n.values, err = conn.Pipeline(len(commands), &n.batch, n.values)

		return err
	})
	if err != nil {
		for i := range commands {
			if c := &commands[i]; !c.Answered {
				c.Answered, c.Err = true, err
				n.counts.Count(c.Op.String(), err)
			}
		}
	}
	for op := range n.batch.done {
		switch done := &n.batch.done[op]; {
		case done.all == 0:
		case workload.Op(op) == workload.Get:
			n.counts.CountAll("get", done.all, done.hits, done.all-done.hits)
		default:
			n.counts.CountAll(workload.Op(op).String(), done.all)
		}
	}

	return err
}

// Request implements wire.Pipeline.
func (b *batch) Request(i int) wire.Request {
	c := &b.commands[i]
	q := wire.Request{Key: c.Key, Value: c.Value, TTL: c.TTL}
	switch c.Op { //nolint:exhaustive // pipelines hold no other operations
	case workload.Get:
		q.Verb = wire.Get
	case workload.Set:
		q.Verb = wire.Set
	case workload.Delete:
		q.Verb = wire.Delete
	default:
		q.Verb = wire.Touch
	}

	return q
}

// Answered implements wire.Pipeline.
func (b *batch) Answered(i int, value []byte, found bool, err error) {
	c := &b.commands[i]
	c.Answered, c.Err = true, final(refused(err))
	if err != nil {
		b.node.counts.Count(c.Op.String(), err)

		return
	}
	done := &b.done[c.Op]
	done.all++
	if found {
		done.hits++
		b.got(i, value)
	}
}

func (n *node) counted(operation string, err error, hit bool) {
	switch {
	case err != nil:
		n.counts.Count(operation, err)
	case hit:
		n.counts.Count(operation, nil, 1, 0)
	default:
		n.counts.Count(operation, nil, 0, 1)
	}
}

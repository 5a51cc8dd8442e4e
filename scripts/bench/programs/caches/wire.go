package main

import (
	"context"
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// wireClient is the client of this repository.
type wireClient struct {
	*entries
	conn     *wire.Conn
	request  wire.Request
	requests []wire.Request
	replies  []wire.Reply
	several  [][]byte // keys
}

func newWire(s *settings, e *entries) (client, error) {
	protocol := wire.Text
	if s.meta {
		protocol = wire.Meta
	}
	conn, err := wire.Dial(context.Background(), &wire.Config{Address: s.address, Protocol: protocol})
	if err != nil {
		return nil, err
	}
	return &wireClient{entries: e, conn: conn, requests: make([]wire.Request, s.batch), replies: make([]wire.Reply, s.batch)}, nil
}

func (c *wireClient) set(i int) error {
	c.request = wire.Request{Verb: wire.Set, Key: c.keys[i], Value: c.values[i]}
	return c.conn.Do(&c.request, &c.replies[0])
}

func (c *wireClient) get(i int) error {
	c.request = wire.Request{Verb: wire.Get, Key: c.keys[i]}
	if err := c.conn.Do(&c.request, &c.replies[0]); err != nil {
		return err
	}
	return c.found(i, &c.replies[0])
}

func (c *wireClient) multi(keys []int) error {
	c.several = c.several[:0]
	for _, key := range keys {
		c.several = append(c.several, c.keys[key])
	}
	if err := c.conn.GetMulti(c.several, c.replies[:len(keys)]); err != nil {
		return err
	}
	return c.all(keys)
}

func (c *wireClient) pipeline(keys []int) error {
	for i, key := range keys {
		c.requests[i] = wire.Request{Verb: wire.Get, Key: c.keys[key]}
	}
	if err := c.conn.Pipeline(c.requests[:len(keys)], c.replies[:len(keys)]); err != nil {
		return err
	}
	return c.all(keys)
}

// all checks the replies of keys.
func (c *wireClient) all(keys []int) error {
	for i, key := range keys {
		reply := &c.replies[i]
		if reply.Err != nil {
			return reply.Err
		}
		if err := c.found(key, reply); err != nil {
			return err
		}
	}
	return nil
}

func (c *wireClient) found(i int, reply *wire.Reply) error {
	if reply.Status != wire.OK {
		return fmt.Errorf("key %s is not there", c.keys[i])
	}
	return c.check(i, reply.Value)
}

func (c *wireClient) close() error {
	c.conn.Close()
	return nil
}

package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/bradfitz/gomemcache/memcache"
)

// gomemcacheClient is the widely used client. It has a pool to itself: one that all clients share
// would be a queue for its lock.
type gomemcacheClient struct {
	*entries
	client *memcache.Client
}

func newGomemcache(s *settings, e *entries) (client, error) {
	c := memcache.New(s.address)
	c.MaxIdleConns = 1
	c.Timeout = 5 * time.Second // that of wire; gomemcache's own is half a second
	if err := c.Ping(); err != nil {
		return nil, fmt.Errorf("cannot connect to %s: %w", s.address, errors.Join(err, c.Close()))
	}
	return &gomemcacheClient{e, c}, nil
}

func (c *gomemcacheClient) set(i int) error {
	return c.client.Set(&memcache.Item{Key: c.names[i], Value: c.values[i]})
}

func (c *gomemcacheClient) get(i int) error {
	item, err := c.client.Get(c.names[i])
	if err != nil {
		return err
	}
	return c.check(i, item.Value)
}

func (c *gomemcacheClient) multi(keys []int) error {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		names = append(names, c.names[key])
	}
	items, err := c.client.GetMulti(names)
	if err != nil {
		return err
	}
	for _, i := range keys {
		item := items[c.names[i]]
		if item == nil {
			return fmt.Errorf("key %s is not there", c.names[i])
		}
		if err := c.check(i, item.Value); err != nil {
			return err
		}
	}
	return nil
}

// pipeline is refused before anything is measured.
func (c *gomemcacheClient) pipeline([]int) error { return errors.ErrUnsupported }

func (c *gomemcacheClient) close() error { return c.client.Close() }

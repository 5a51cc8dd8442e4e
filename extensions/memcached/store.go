package memcached

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

type store struct {
	client  *client
	running bool
	traffic traffic

	request wire.Request
	reply   wire.Reply
	key     []byte // key with the prefix

	shares []share // share of each server in a batch
}

func newStore(c *client) *store {
	return &store{client: c, shares: make([]share, len(c.config.Servers))}
}

// Get implements workload.Store.
func (s *store) Get(key, buf []byte) (value []byte, hit bool, err error) {
	s.reply.Value = buf
	if err := s.do("get", wire.Request{Verb: wire.Get, Key: s.keyed(key)}); err != nil {
		return nil, false, err
	}

	return s.reply.Value, s.reply.Status == wire.OK, nil
}

// Set implements workload.Store.
func (s *store) Set(key, value []byte, ttl int) error {
	return s.refused(s.do("set", wire.Request{Verb: wire.Set, Key: s.keyed(key), Value: value, Expire: int32(ttl)}))
}

// Delete implements workload.Store.
func (s *store) Delete(key []byte) error {
	return s.do("delete", wire.Request{Verb: wire.Delete, Key: s.keyed(key)})
}

// Touch implements workload.Toucher.
func (s *store) Touch(key []byte, ttl int) error {
	return s.do("touch", wire.Request{Verb: wire.Touch, Key: s.keyed(key), Expire: int32(ttl)})
}

func (s *store) do(operation string, q wire.Request) error {
	s.request = q

	return s.client.request(operation, s.client.server(q.Key), &s.request, &s.reply)
}

func (s *store) refused(err error) error {
	if err == nil {
		return nil
	}
	if kind := s.client.As(err).Kind; kind == wire.KindTooLarge || kind == wire.KindFull {
		return fmt.Errorf("%w: %w", workload.ErrRefused, err)
	}

	return err
}

func (s *store) keyed(key []byte) []byte {
	if s.client.config.Prefix == "" {
		return key
	}
	s.key = append(append(s.key[:0], s.client.config.Prefix...), key...)

	return s.key
}

package memcached

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// store is a client in the part of a workload.Store, with all that one can do but getOrSet in one
// request. Its metrics have the commands that go to the servers.
type store struct {
	client  *client
	running bool    // a run is under way: bytes are for it to record
	traffic traffic // that nobody has asked for yet

	request wire.Request
	reply   wire.Reply
	key     []byte // with the prefix
}

func newStore(c *client) *store { return &store{client: c} }

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

// refused marks the errors of a set by which a server says that it will not keep a value.
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

// add puts a command into the batch of its server.
func (s *store) add(name string, position int, q wire.Request) {
	c := s.client
	key := s.keyed(q.Key)
	b := &c.batches[c.server(key)]
	e, to := b.add(commands[name])
	e.position = position
	to.Key = append(to.Key[:0], key...)
	to.Verb, to.Value, to.Expire = q.Verb, q.Value, q.Expire
}

// GetMulti implements workload.MultiGetter.
func (s *store) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	c := s.client
	c.clearAll()
	for i, key := range keys {
		s.add("get", i, wire.Request{Verb: wire.Get, Key: key})
	}
	c.getBatches()
	var h hits
	var first error
	for server := range c.batches {
		b := &c.batches[server]
		for i := range b.entries {
			a := &b.replies[i]
			switch {
			case a.Err != nil && first == nil:
				first = a.Err
			case a.Err == nil:
				h.of(a.Status)
				if a.Status == wire.OK {
					got(b.entries[i].position, a.Value)
				}
			}
		}
	}
	c.Count("getMulti", first, h.found, h.missed)

	return first
}

// Pipeline implements workload.Pipeliner. A server that cannot be reached fails its own commands
// alone.
func (s *store) Pipeline(all []workload.Command, got func(i int, value []byte)) error {
	c := s.client
	c.clearAll()
	for i := range all {
		command := &all[i]
		q := wire.Request{Key: command.Key, Value: command.Value, Expire: int32(command.TTL)}
		switch command.Op { //nolint:exhaustive // pipelines hold no others
		case workload.Get:
			q.Verb = wire.Get
		case workload.Set:
			q.Verb = wire.Set
		case workload.Delete:
			q.Verb = wire.Delete
		default:
			q.Verb = wire.Touch
		}
		s.add(command.Op.String(), i, q)
	}
	c.runBatches()
	for server := range c.batches {
		b := &c.batches[server]
		for i := range b.entries {
			e, a := &b.entries[i], &b.replies[i]
			c.countReply(e, &b.requests[i], a)
			command := &all[e.position]
			command.Answered, command.Err = true, a.Err
			if command.Op == workload.Get && a.Err == nil && a.Status == wire.OK {
				got(e.position, a.Value)
			}
		}
	}

	return nil
}

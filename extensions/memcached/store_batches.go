package memcached

import (
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// share is the part of a batch that one server gets.
type share struct {
	positions []int // positions of its commands in the batch
	requests  []wire.Request
	keys      [][]byte
	replies   []wire.Reply
	prefixed  []byte
}

func (s *store) begin() {
	for i := range s.shares {
		h := &s.shares[i]
		h.positions, h.requests, h.keys, h.prefixed = h.positions[:0], h.requests[:0], h.keys[:0], h.prefixed[:0]
	}
}

func (s *store) share(position int, key []byte) (*share, []byte) {
	key = s.keyed(key)
	h := &s.shares[s.client.server(key)]
	if s.client.config.Prefix != "" {
		begin := len(h.prefixed)
		h.prefixed = append(h.prefixed, key...)
		key = h.prefixed[begin:]
	}
	h.positions = append(h.positions, position)

	return h, key
}

func (s *store) exchange(job func(*share, *wire.Conn) error) {
	for server := range s.shares {
		h := &s.shares[server]
		n := len(h.positions)
		if n == 0 {
			h.replies = h.replies[:0]

			continue
		}
		h.replies = slices.Grow(h.replies[:0], n)[:n]
		s.client.exchangeAll(server, h.replies, func(conn *wire.Conn) error { return job(h, conn) })
	}
}

// GetMulti implements workload.MultiGetter.
func (s *store) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	s.begin()
	for i, key := range keys {
		h, key := s.share(i, key)
		h.keys = append(h.keys, key)
	}
	s.exchange(func(h *share, conn *wire.Conn) error { return conn.GetMulti(h.keys, h.replies) })
	var of hits
	var first error
	for server := range s.shares {
		h := &s.shares[server]
		for i := range h.replies {
			a := &h.replies[i]
			switch {
			case a.Err != nil && first == nil:
				first = a.Err
			case a.Err == nil:
				of.of(a.Status)
				if a.Status == wire.OK {
					got(h.positions[i], a.Value)
				}
			}
		}
	}
	s.client.Count("getMulti", first, of.found, of.missed)

	return first
}

var verbs = [workload.NumOps]wire.Verb{ //nolint:gochecknoglobals // a table
	workload.Get: wire.Get, workload.Set: wire.Set, workload.Delete: wire.Delete, workload.Touch: wire.Touch,
}

// Pipeline fails only the commands of a server that cannot be reached.
func (s *store) Pipeline(all []workload.Command, got func(i int, value []byte)) error {
	s.begin()
	for i := range all {
		command := &all[i]
		key := command.Key
		if command.Words != nil {
			key = command.Words[1]
		}
		h, key := s.share(i, key)
		h.requests = append(h.requests, requestOf(command, key))
	}
	s.exchange(func(h *share, conn *wire.Conn) error { return conn.Pipeline(h.requests, h.replies) })
	var done [workload.NumOps]struct {
		hits
		all int
	}
	for server := range s.shares {
		h := &s.shares[server]
		for i := range h.replies {
			position, a := h.positions[i], &h.replies[i]
			command := &all[position]
			command.Answered, command.Err = true, a.Err
			if a.Err != nil || command.Words != nil {
				s.client.Count(command.Name, a.Err)
			}
			switch {
			case a.Err != nil:
				continue
			case command.Words != nil:
				command.Reply = metaCode(h.requests[i].Verb, a)
				got(position, a.Value)

				continue
			}
			count := &done[command.Op]
			count.all++
			if command.Op != workload.Get {
				continue
			}
			if count.of(a.Status); a.Status == wire.OK {
				got(position, a.Value)
			}
		}
	}
	for op := range done {
		if count := &done[op]; count.all > 0 {
			s.client.CountAll(workload.Op(op).String(), count.all, count.found, count.missed)
		}
	}

	return nil
}

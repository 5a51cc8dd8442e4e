package main

import (
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// client is one connection over either client library. Keys are the numbers of entries; a miss is
// an error.
type client interface {
	set(i int) error
	get(i int) error
	// multi and pipeline get several keys.
	multi(keys []int) error
	pipeline(keys []int) error
	close() error
}

// libraries make clients, by their names.
var libraries = map[string]func(s *settings, e *entries) (client, error){ //nolint:gochecknoglobals // a constant
	"wire":       newWire,
	"gomemcache": newGomemcache,
}

// shared are the entries of all clients.
var shared = sync.OnceValue(newEntries) //nolint:gochecknoglobals // a constant, made when it is needed

// connect opens a client's own connection. The first one writes all keys.
func (s settings) connect(number int) (crew.Work, error) {
	own, err := libraries[s.client](&s, shared())
	if err != nil {
		return nil, err
	}
	g := &getting{client: own, get: s.get, batch: make([]int, s.batch), random: rand.New(rand.NewPCG(1, uint64(number)))}
	if number > 0 {
		return g, nil
	}
	for i := range count {
		if err := own.set(i); err != nil {
			_ = g.Close() // the first error is the one to tell
			return nil, fmt.Errorf("key %d cannot be written: %w", i, err)
		}
	}
	return g, nil
}

// getting is what a client does: one operation is one get, or that of a batch of keys.
type getting struct {
	client client
	get    string
	batch  []int
	random *rand.Rand
}

// Operation gets keys, each of which it draws, and returns how many.
func (g *getting) Operation() (int64, error) {
	if g.get == one {
		return 1, g.client.get(g.random.IntN(count))
	}
	for i := range g.batch {
		g.batch[i] = g.random.IntN(count)
	}
	get := g.client.pipeline
	if g.get == multi {
		get = g.client.multi
	}
	return int64(len(g.batch)), get(g.batch)
}

// End has nothing to do.
func (g *getting) End() error { return nil }

// Close closes the connection.
func (g *getting) Close() error { return g.client.close() }

package workload

import (
	"fmt"
	"math/rand/v2"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Workload holds validated options, ready for clients. It is immutable, and all clients share it.
type Workload struct {
	options  Options
	values   *Values
	ops      []Op
	bounds   []float64
	commands []*command
	hot      int
}

// New validates the options and returns their workload. An error names the invalid option.
func New(options Options) (*Workload, error) {
	if err := options.ValidateKeys(); err != nil {
		return nil, err
	}
	w := &Workload{options: options, values: newValues(options.Seed, options.Values), hot: options.Keys.hot()}
	mix := options.Mix.shares()
	shares, total := mix[:], 0.0
	if len(options.Commands) > 0 {
		shares = make([]float64, NumOps, NumOps+len(options.Commands))
		for i := range options.Commands {
			shares = append(shares, or(options.Commands[i].Share, 1))
			w.commands = append(w.commands, newCommand(&options.Commands[i]))
		}
	}
	for _, share := range shares {
		total += share
	}
	sum := 0.0
	for op, share := range shares {
		if share > 0 {
			sum += share
			w.ops = append(w.ops, Op(op))
			w.bounds = append(w.bounds, sum/total)
		}
	}

	return w, nil
}

// OpName returns the name of an operation.
func (w *Workload) OpName(op Op) string {
	if c := w.command(op); c != nil {
		return c.op
	}

	return op.String()
}

func (w *Workload) command(op Op) *command {
	if op < numOps {
		return nil
	}

	return w.commands[op-numOps]
}

// Client returns client number index, from 0, of a group of clients. It is at the start of its
// random stream. It returns an error if the store lacks an operation of the mix, or if there are
// fewer keys than clients that share them.
func (w *Workload) Client(store Store, index, clients int) (*Client, error) {
	if index < 0 || index >= clients {
		return nil, fmt.Errorf("client %d must be from 0 and below %d", index, clients)
	}
	keys := &w.options.Keys
	if keys.Distribution == Sequential && keys.Count < clients {
		return nil, fmt.Errorf("option keys.count (%d) must be at least the number of clients (%d): "+
			"sequential clients share the keys", keys.Count, clients)
	}
	c := &Client{work: w, store: store, keys: keys.drawer(index, clients)}
	c.source.Seed(measure.Scramble(w.options.Seed), measure.Scramble(uint64(index)))
	c.random = *rand.New(&c.source)
	c.unwritten, c.end = keys.share(index, clients)

	return c, c.offer()
}

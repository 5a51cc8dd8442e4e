package workload

import (
	"fmt"
	"math/rand/v2"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/splitmix"
)

// Workload is what options describe, ready for clients. It is immutable, and any number of clients
// may share it.
type Workload struct {
	options Options
	values  *Values
	ops     []Op      // that have a share
	bounds  []float64 // of their shares, cumulated, up to 1
	hot     int       // keys before this one are hot
}

// New returns the workload that options describe, or an error that names the option that is not as
// it should be. Workloads that share pools share the memory of their values; pools may be nil.
func New(options Options, pools *Pools) (*Workload, error) {
	if err := options.ValidateKeys(); err != nil {
		return nil, err
	}
	if pools == nil {
		pools = &Pools{}
	}
	w := &Workload{options: options, values: newValues(options.Seed, options.Values, pools), hot: options.Keys.hot()}
	shares, total := options.Mix.shares(), 0.0
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

// Keys are the workload's keys.
func (w *Workload) Keys() *Keys { return &w.options.Keys }

// Values are the workload's values.
func (w *Workload) Values() *Values { return w.values }

// Client returns client index, from 0, of so many clients, at the beginning of its stream. It
// returns an error when the store cannot do what the workload asks of it, and when there are fewer
// keys than clients to go through them.
func (w *Workload) Client(store Store, index, clients int) (*Client, error) {
	if index < 0 || index >= clients {
		return nil, fmt.Errorf("client %d is none of %d", index, clients)
	}
	keys := &w.options.Keys
	if keys.Distribution == Sequential && keys.Count < clients {
		return nil, fmt.Errorf("option keys.count (%d) must be at least the number of clients (%d): "+
			"sequential clients share the keys", keys.Count, clients)
	}
	c := &Client{work: w, store: store, keys: keys.drawer(index, clients)}
	c.source.Seed(splitmix.Mix(w.options.Seed), splitmix.Mix(uint64(index)))
	c.random = *rand.New(&c.source)
	c.unwritten, c.end = keys.share(index, clients)

	return c, c.offer()
}

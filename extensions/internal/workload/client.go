package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// Client runs a workload's operations on one store. Its random stream continues from one run to the
// next. One goroutine uses it.
type Client struct {
	work   *Workload
	store  Store
	touch  Toucher
	multi  MultiGetter
	pipe   Pipeliner
	source rand.PCG
	random rand.Rand // reads from source
	keys   drawer

	unwritten, end int

	prefilled bool

	tally

	key, value, read []byte
	slots            *slots
}

func (c *Client) offer() error {
	options := &c.work.options
	c.touch, _ = c.store.(Toucher)
	c.multi, _ = c.store.(MultiGetter)
	c.pipe, _ = c.store.(Pipeliner)
	switch {
	case options.Mix.Touch > 0 && c.touch == nil:
		return fmt.Errorf("option mix.touch: this store cannot touch")
	case options.Mix.GetMulti > 0 && c.multi == nil:
		return fmt.Errorf("option mix.getMulti: this store cannot read several keys at once")
	case options.Pipeline > 1 && c.pipe == nil:
		return fmt.Errorf("option pipeline must be 1: this store has no pipelines")
	case len(options.Commands) > 0:
		if err := c.offerCommands(); err != nil {
			return err
		}
		c.slots = newSlots(c, options.Pipeline)
	case options.Pipeline > 1:
		c.slots = newSlots(c, options.Pipeline)
	case options.Mix.GetMulti > 0:
		c.slots = newSlots(c, options.Batch)
	}

	return nil
}

func (c *Client) offerCommands() error {
	commander, is := c.store.(Commander)
	if !is {
		return fmt.Errorf("option commands: this store runs no commands of its protocol, only a mix")
	}
	for i := range c.work.options.Commands {
		o := &c.work.options.Commands[i]
		if err := commander.CheckCommand(o.Args, c.work.commands[i].replyType); err != nil {
			return fmt.Errorf("option commands[%d]: %w", i, err)
		}
	}

	return nil
}

// Work returns the client's workload.
func (c *Client) Work() *Workload { return c.work }

// Unwritten returns the number of keys that Prefill still has to write.
func (c *Client) Unwritten() int { return c.end - c.unwritten }

func (c *Client) write(i int) error {
	if len(c.work.commands) == 0 {
		return c.store.Set(c.key, c.value, int(c.work.options.TTL))
	}
	for op := range c.work.commands {
		if err := c.slots.alone(c, numOps+Op(op), i); err != nil {
			return err
		}
	}

	return nil
}

// Prefill writes the client's share of the keys and returns what it wrote. The observer does not
// see these writes. Prefill stops at the first error, which names the key; the next call continues
// there.
func (c *Client) Prefill(ctx context.Context) (Result, error) {
	var r Result
	start := clock.Now()
	for ; c.unwritten < c.end; c.unwritten++ {
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		c.prepare(c.unwritten)
		c.value = c.work.values.Append(c.value[:0], c.unwritten)
		if err := c.write(c.unwritten); err != nil {
			return r, fmt.Errorf("prefill of key %s: %w", c.key, err)
		}
		r.Succeeded++
		r.BytesSent += uint64(len(c.value))
		r.Took = clock.Since(start)
	}

	return r, nil
}

// Prefilled sets whether the keys exist before the next runs. If so, a get or getMulti that misses
// a key fails with ErrMissing, unless the option allowMisses is set.
func (c *Client) Prefilled(prefilled bool) { c.prefilled = prefilled }

func (c *Client) missing() error {
	if c.prefilled && !c.work.options.AllowMisses {
		return ErrMissing
	}

	return nil
}

func (c *Client) prepare(i int) { c.key = c.work.options.Keys.Append(c.key[:0], i) }

func (c *Client) next() Op {
	w := c.work
	if len(w.ops) == 1 {
		return w.ops[0]
	}
	at := sort.SearchFloat64s(w.bounds, c.random.Float64())

	return w.ops[min(at, len(w.ops)-1)]
}

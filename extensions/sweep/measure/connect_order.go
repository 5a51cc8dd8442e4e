package measure

import (
	"context"
	"sync"
	"time"
)

// Clients connect one after another, in their order: a server that gives connections to its threads
// in turns, as memcached does, and the event loops of k6 then share them in the same way in each
// run, and for both variants of a duet. Where the order is left to chance, two same builds of
// memcached (8 clients, 4 threads, two processors) differed by up to 13 % of ops/s and 30 % of p99,
// a run long, which no number of slices can tell from a change.
const (
	// orderPatience is how long a client waits while no other goes on.
	orderPatience = 250 * time.Millisecond
	// orderLasts is how long one waits at most: connecting to what is far away takes longer, and
	// then its order is that of chance.
	orderLasts = 2 * time.Second
)

// connectOrder is the order in which the clients of a step connect: all of them for the first time,
// and then all for the second, as those of a duet do. It is given up when somebody has waited in
// vain.
type connectOrder struct {
	mu       sync.Mutex
	next     int // the turn that comes next
	progress time.Duration
	waiting  map[int]chan struct{}
	over     bool
}

// ConnectInTurn waits for the client's turn to connect, which is over when done is called. From the
// start line on there are no turns.
func (c *Client) ConnectInTurn(ctx context.Context) (done func()) {
	if c.stage != connecting {
		return func() {}
	}
	o := &c.step.order
	turn := c.connects*len(c.step.clients) + c.index
	c.connects++
	o.await(ctx, c.step.stopped.Done(), turn)

	return func() { o.pass(turn) }
}

// await returns when the turn has come, or nobody keeps to the order.
func (o *connectOrder) await(ctx context.Context, stopped <-chan struct{}, turn int) {
	come := o.queue(turn)
	if come == nil {
		return
	}
	began := now()
	timer := time.NewTimer(orderPatience)
	defer timer.Stop()
	for {
		select {
		case <-come:
			return
		case <-ctx.Done():
		case <-stopped:
		case <-timer.C:
			if rest := o.patience(began); rest > 0 {
				timer.Reset(rest)

				continue
			}
		}
		o.end()

		return
	}
}

// queue is what is closed when the turn has come; nil: it has.
func (o *connectOrder) queue(turn int) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.over || turn <= o.next {
		return nil
	}
	if o.waiting == nil {
		o.waiting = map[int]chan struct{}{}
	}
	come := make(chan struct{})
	o.waiting[turn] = come

	return come
}

// patience is how long somebody who has waited since then waits on.
func (o *connectOrder) patience(since time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()

	return min(max(o.progress, since)+orderPatience, since+orderLasts) - now()
}

// pass ends a turn: the next one comes.
func (o *connectOrder) pass(turn int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next, o.progress = max(o.next, turn+1), now()
	if come := o.waiting[o.next]; come != nil {
		close(come)
		delete(o.waiting, o.next)
	}
}

// end gives up the order: nobody waits any longer.
func (o *connectOrder) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.over = true
	for turn, come := range o.waiting {
		close(come)
		delete(o.waiting, turn)
	}
}

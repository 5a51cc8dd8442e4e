package nats

import (
	"context"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

const maxBatch = 256

// push passes messages to a callback on k6's event loop, until the feed or the iteration ends.
func (f *feed[T]) push(callback sobek.Callable) {
	f.pushed = true
	f.client.callbacks.Add(1)
	ctx := f.client.VU().Context()
	back := k6x.RegisterCallback(f.client.VU())
	waiting := f.client.shared.idle.watch(f.client.VU().State().Logger)
	again := make(chan func(func() error), 1)
	go func() {
		defer crash.Contain("the callback of a feed")
		defer f.client.callbacks.Add(-1)
		defer waiting.over.Store(true)
		for {
			var batch []T
			err := crash.Guard(func() error {
				if next, ok := f.take(ctx); ok {
					batch = f.more(next)
				}

				return nil
			})
			if err != nil || batch == nil {
				f.stop()
				f.end()
				back(func() error { return err })

				return
			}
			waiting.came.Store(true)
			back(func() error {
				again <- k6x.RegisterCallback(f.client.VU())

				return f.call(ctx, callback, batch)
			})
			back = <-again
		}
	}()
}

func (f *feed[T]) more(first T) []T {
	batch := []T{first}
	for len(batch) < maxBatch {
		select {
		case next := <-f.come:
			batch = append(batch, next)
		default:
			return batch
		}
	}

	return batch
}

// An exception ends the feed.
func (f *feed[T]) call(ctx context.Context, callback sobek.Callable, batch []T) error {
	failed := true
	defer func() {
		if failed { // also after a panic
			f.stop()
			f.end()
		}
	}()
	for _, next := range batch {
		if ctx.Err() != nil {
			break
		}
		r := record{operation: f.operation, tags: f.tags, received: volume{1, f.weigh(next)}}
		begin := clock.Now()
		_, err := callback(sobek.Undefined(), f.make(next))
		r.took = clock.Since(begin)
		f.client.note(&r, f.conn)
		f.aged(f.tags, next)
		if err != nil {
			return err
		}
	}
	failed = false

	return nil
}

package nats

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// feed is a queue of messages of a subscription, a consumer or a watch.
type feed[T any] struct {
	client    *client
	conn      *connection
	operation string

	come chan T
	// over is closed after the last message.
	over chan struct{}
	end  func()
	stop func()

	// weigh returns the size of a message's data in bytes.
	weigh func(T) int
	age   func(T) (time.Duration, bool)
	make  func(T) sobek.Value
	// dropped is nil if the feed drops none.
	dropped  func() int
	reported int
	// accept acknowledges a message; nil if messages need no acknowledgement.
	accept func(T) error
	pushed bool
	tags   *k6x.Tags
}

func newFeed[T any](c *client, conn *connection, operation string, capacity int) *feed[T] {
	f := &feed[T]{client: c, conn: conn, operation: operation, come: make(chan T, capacity), over: make(chan struct{})}
	f.end = sync.OnceFunc(func() { close(f.over) })

	return f
}

func (f *feed[T]) take(ctx context.Context) (next T, ok bool) {
	select {
	case next = <-f.come:
		return next, true
	default:
	}
	select {
	case next = <-f.come:
		return next, true
	case <-ctx.Done():
		return next, false
	case <-f.over:
	}
	select {
	case next = <-f.come:
		return next, true
	default:
		return next, false
	}
}

type feeder interface {
	k6x.Tasker
	next(call sobek.FunctionCall) (*task, error)
	fetch(call sobek.FunctionCall) (*task, error)
	close(call sobek.FunctionCall) sobek.Value
	pending(call sobek.FunctionCall) sobek.Value
	isClosed(call sobek.FunctionCall) sobek.Value
	messages(call sobek.FunctionCall) sobek.Value
	iterate(call sobek.FunctionCall) (*task, error)
	leave(call sobek.FunctionCall) sobek.Value
}

func feedMethods[F feeder]() k6x.Methods[F] {
	return k6x.BothForms(map[string]operation[F]{"next": F.next, "fetch": F.fetch}).
		With(k6x.Methods[F]{"close": F.close, "pending": F.pending, "isClosed": F.isClosed, "messages": F.messages})
}

var methodsOfFeeds = feedMethods[feeder]() //nolint:gochecknoglobals // a table

func (f *feed[T]) object() *sobek.Object { return methodsOfFeeds.Object(f.client.Runtime(), f) }

// Tasks implements k6x.Tasker.
func (f *feed[T]) Tasks() *k6x.Tasks { return f.client.tasks }

func (f *feed[T]) close(sobek.FunctionCall) sobek.Value {
	f.stop()
	f.end()

	return sobek.Undefined()
}

func (f *feed[T]) pending(sobek.FunctionCall) sobek.Value {
	return f.client.Runtime().ToValue(len(f.come))
}

func (f *feed[T]) isClosed(sobek.FunctionCall) sobek.Value {
	return f.client.Runtime().ToValue(f.isOver())
}

func (f *feed[T]) isOver() bool {
	select {
	case <-f.over:
		return true
	default:
		return false
	}
}

func (f *feed[T]) next(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("next", "the timeout", call.Argument(0), f.client.config.TimeoutEach)
	if err == nil {
		err = f.mustPull("next")
	}
	tags, wrong := f.client.tags("next", call.Argument(1))
	err, tags = cmp.Or(err, wrong), cmp.Or(tags, f.tags)
	var got T
	var ok bool

	return &task{
		client: f.client, operation: "next", timeout: max(timeout, time.Nanosecond), on: f.conn, tags: tags,
		job: func(ctx context.Context, _ *connection, r *record) error {
			if got, ok = f.take(ctx); ok {
				r.received.messages, r.received.bytes = 1, f.weigh(got)
			}

			return ended(ctx)
		},
		value: func() (sobek.Value, error) {
			if !ok {
				return sobek.Null(), nil
			}
			f.aged(tags, got)

			return f.make(got), nil
		},
	}, err
}

// The timeout of a call is no failure.
func ended(ctx context.Context) error {
	if ctx.Err() == context.Canceled {
		return k6x.TestEnded()
	}

	return nil
}

func (f *feed[T]) mustPull(method string) error {
	if f.pushed {
		return k6x.Misuse("%s: the messages go to the callback", method)
	}

	return nil
}

func (f *feed[T]) aged(tags *k6x.Tags, all ...T) {
	if f.age == nil || f.client.Session() != nil {
		return
	}
	var durations []k6x.Timing
	latency := f.client.instruments.call(tags).latency
	for _, next := range all {
		if took, ok := f.age(next); ok {
			durations = append(durations, k6x.Timing{Series: latency, Took: took})
		}
	}
	if len(durations) > 0 {
		f.client.Meter().Emit(durations...)
	}
}

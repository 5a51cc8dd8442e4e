package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

// subscribeOptions are those of subscribe and respond.
type subscribeOptions struct {
	Queue   string `json:"queue"`
	Max     int    `json:"max"`     // messages after which it ends by itself; 0 for none
	Pending int    `json:"pending"` // messages that may wait; what comes then is dropped
	// Tags are those of subscribing, and of the messages that come.
	Tags *k6mod.Tags `json:"tags"`
}

func readSubscribeOptions(method string, value sobek.Value) (subscribeOptions, error) {
	o := subscribeOptions{Pending: defaultPending}
	if err := k6glue.Options(value, &o); err != nil {
		return o, k6mod.Misuse("%s: %s", method, err)
	}
	if o.Max < 0 || o.Pending < 1 || o.Pending > k6glue.MaxElements {
		return o, k6mod.Misuse("%s: max must not be below 0, and pending must be from 1 to %d", method, k6glue.MaxElements)
	}

	return o, nil
}

// subscribe is client.subscribe(subject, callback, options): with a callback, messages reach it on
// k6's event loop, and the iteration lasts until the subscription is closed; without one they are
// asked for.
func (c *client) subscribe(call sobek.FunctionCall) sobek.Value {
	subject, err := k6mod.Name("subscribe", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	callback, rest := sobek.Callable(nil), call.Argument(1)
	if fn, ok := sobek.AssertFunction(rest); ok {
		callback, rest = fn, call.Argument(2)
	} else if k6glue.IsNullish(rest) {
		rest = call.Argument(2)
	}
	o, err := readSubscribeOptions("subscribe", rest)
	if err != nil {
		c.Throw(err)
	}

	conn := c.ready()
	f := newFeed[*natsio.Msg](c, conn, "deliver", o.Pending)
	f.tags = o.Tags
	f.weigh = func(m *natsio.Msg) int { return len(m.Data) }
	f.age = func(m *natsio.Msg) (time.Duration, bool) { return latency(m.Header, nil) }
	f.make = func(m *natsio.Msg) sobek.Value { return c.message(conn, m) }
	sub, err := c.listen(conn, subject, o, f.come, f.end)
	if err != nil {
		c.Throw(err)
	}
	f.stop = func() { _ = sub.Unsubscribe() } // it may have ended by itself
	f.dropped = func() int {
		n, _ := sub.Dropped() // -1 once it has ended

		return max(n, f.reported)
	}
	if callback != nil {
		f.push(callback)
	}

	return subscriptionMethods.Object(c.Runtime(), &subscription{f, sub})
}

// subscription is a JavaScript Subscription.
type subscription struct {
	*feed[*natsio.Msg]

	sub *natsio.Subscription
}

var subscriptionMethods = feedMethods[*subscription]().With(k6glue.Methods[*subscription]{ //nolint:gochecknoglobals // a table
	"dropped": (*subscription).dropped,
}).With(k6mod.BothForms(map[string]operation[*subscription]{
	"drain": tagged("drain", 1, (*subscription).drain),
}))

// dropped is subscription.dropped(): how many messages came when too many were waiting.
func (s *subscription) dropped(sobek.FunctionCall) sobek.Value {
	n, _ := s.sub.Dropped() // none, once it has ended

	return s.client.Runtime().ToValue(n)
}

// listen subscribes; the server knows of it when listen returns, so that nothing is missed that is
// published afterwards.
func (c *client) listen(
	conn *connection, subject string, o subscribeOptions, into chan *natsio.Msg, end func(),
) (sub *natsio.Subscription, err error) {
	r := record{operation: "subscribe", subject: c.subject(subject), tags: o.Tags}
	ctx, cancel := context.WithTimeout(c.VU().Context(), c.config.TimeoutEach)
	defer cancel()
	begin := clock.Now()
	if sub, err = conn.nc.ChanQueueSubscribe(subject, o.Queue, into); err == nil {
		sub.SetClosedHandler(func(string) {
			defer crash.Contain("the end of a subscription")
			end()
		})
		if o.Max > 0 {
			err = sub.AutoUnsubscribe(o.Max)
		}
		if err == nil {
			err = conn.flush(ctx)
		}
		if err != nil {
			_ = sub.Unsubscribe()
		}
	}
	r.took = clock.Since(begin)
	r.err = explain(c.VU().Context(), c.config.TimeoutEach, err)
	c.note(&r, conn)

	return sub, r.err
}

// drain is subscription.drain(timeout): no more messages are wanted; those that are on their way
// still come.
func (s *subscription) drain(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6mod.Duration("drain", "the timeout", call.Argument(0), 0)

	return &task{client: s.client, operation: "drain", timeout: timeout, on: s.conn, job: func(
		ctx context.Context, _ *connection, _ *record,
	) error {
		if err := s.sub.Drain(); err != nil {
			return err
		}
		select {
		case <-s.over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}, err
}

// respond is client.respond(subject, data, options): it answers requests in Go, each with the data
// or, without, with its own, until the object that it returns is closed or the VU has no more use
// for the connection.
func (c *client) respond(call sobek.FunctionCall) sobek.Value {
	subject, err := k6mod.Name("respond", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	fixed, err := c.owned("respond", call.Argument(1))
	if err != nil {
		c.Throw(err)
	}
	echo := k6glue.IsNullish(call.Argument(1))
	o, err := readSubscribeOptions("respond", call.Argument(2))
	if err != nil {
		c.Throw(err)
	}

	conn := c.ready()
	r := record{operation: "respond", subject: c.subject(subject), tags: o.Tags}
	begin := clock.Now()
	sub, err := conn.nc.QueueSubscribe(subject, o.Queue, func(m *natsio.Msg) {
		defer conn.contain("a responder")
		data := fixed
		if echo {
			data = m.Data
		}
		if err := m.Respond(data); err != nil {
			conn.failed(err)
		}
	})
	if err == nil && o.Max > 0 {
		err = sub.AutoUnsubscribe(o.Max)
	}
	if err == nil {
		ctx, cancel := context.WithTimeout(c.VU().Context(), c.config.TimeoutEach)
		defer cancel()
		err = conn.flush(ctx)
	}
	r.took = clock.Since(begin)
	r.err = explain(c.VU().Context(), c.config.TimeoutEach, err)
	c.note(&r, conn)
	if r.err != nil {
		c.Throw(r.err)
	}

	return responderMethods.Object(c.Runtime(), sub)
}

// responderMethods are those of a JavaScript Responder.
var responderMethods = k6glue.Methods[*natsio.Subscription]{ //nolint:gochecknoglobals // a table
	"close": func(sub *natsio.Subscription, _ sobek.FunctionCall) sobek.Value {
		_ = sub.Unsubscribe() // it may have ended by itself

		return sobek.Undefined()
	},
}

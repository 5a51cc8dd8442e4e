package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type subscribeOptions struct {
	Queue   string    `json:"queue"`
	Max     int       `json:"max"`     // messages after which it ends; 0: no limit
	Pending int       `json:"pending"` // maximum waiting messages; further ones are dropped
	Tags    *k6x.Tags `json:"tags"`
}

func readSubscribeOptions(method string, value sobek.Value) (subscribeOptions, error) {
	o := subscribeOptions{Pending: defaultPending}
	if err := k6x.ReadOptions(value, &o); err != nil {
		return o, k6x.Misuse("%s: %s", method, err)
	}
	if o.Max < 0 || o.Pending < 1 || o.Pending > k6x.MaxElements {
		return o, k6x.Misuse("%s: max must not be below 0, and pending must be from 1 to %d", method, k6x.MaxElements)
	}

	return o, nil
}

func (c *client) subscribe(call sobek.FunctionCall) sobek.Value {
	subject, err := k6x.Name("subscribe", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	callback, rest := sobek.Callable(nil), call.Argument(1)
	if fn, ok := sobek.AssertFunction(rest); ok {
		callback, rest = fn, call.Argument(2)
	} else if k6x.IsNullish(rest) {
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
	f.stop = func() { _ = sub.Unsubscribe() }
	f.dropped = func() int {
		n, _ := sub.Dropped() // -1 after the end

		return max(n, f.reported)
	}
	if callback != nil {
		f.push(callback)
	}

	return subscriptionMethods.Object(c.Runtime(), &subscription{f, sub})
}

type subscription struct {
	*feed[*natsio.Msg]

	sub *natsio.Subscription
}

var subscriptionMethods = feedMethods[*subscription]().With(k6x.Methods[*subscription]{ //nolint:gochecknoglobals // a table
	"dropped": (*subscription).dropped,
}).With(k6x.BothForms(map[string]operation[*subscription]{
	"drain": tagged("drain", 1, (*subscription).drain),
}))

func (s *subscription) dropped(sobek.FunctionCall) sobek.Value {
	n, _ := s.sub.Dropped() // 0 after the end

	return s.client.Runtime().ToValue(n)
}

// When listen returns, the server knows the subscription, and no later message is missed.
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

func (s *subscription) drain(call sobek.FunctionCall) (*task, error) {
	timeout, err := k6x.Duration("drain", "the timeout", call.Argument(0), 0)

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

func (c *client) respond(call sobek.FunctionCall) sobek.Value {
	subject, err := k6x.Name("respond", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	fixed, err := c.owned("respond", call.Argument(1))
	if err != nil {
		c.Throw(err)
	}
	echo := k6x.IsNullish(call.Argument(1))
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

var responderMethods = k6x.Methods[*natsio.Subscription]{ //nolint:gochecknoglobals // a table
	"close": func(sub *natsio.Subscription, _ sobek.FunctionCall) sobek.Value {
		_ = sub.Unsubscribe()

		return sobek.Undefined()
	},
}

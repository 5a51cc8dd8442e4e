package nats

import (
	"context"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type subscribeOptions struct {
	Queue   string    `json:"queue"`
	Max     int       `json:"max"`     // messages after which it ends; 0: no limit
	Pending int       `json:"pending"` // maximum waiting messages; further ones are dropped
	Tags    *k6x.Tags `json:"tags"`
}

func (a *args) subscribeOptions() subscribeOptions {
	o := subscribeOptions{Pending: defaultPending}
	a.options(&o)
	if o.Max < 0 || o.Pending < 1 || o.Pending > k6x.MaxElements {
		a.refuse("max must not be below 0, and pending must be from 1 to %d", k6x.MaxElements)
	}
	a.must()

	return o
}

func (c *client) subscribe(call sobek.FunctionCall) sobek.Value {
	a := c.args("subscribe", call)
	subject, callback, o := read(&a, "the subject", k6x.Name), a.callback(), a.subscribeOptions()
	conn := c.ready()
	f := newFeed(c, conn, source[*natsio.Msg]{
		data: func(m *natsio.Msg) []byte { return m.Data },
		age:  func(m *natsio.Msg) (time.Duration, bool) { return latency(m.Header, nil) },
		show: (*client).message,
	}, o.Pending, o.Tags)
	sub := c.listen("subscribe", conn, subject, o, func() (*natsio.Subscription, error) {
		sub, err := conn.nc.ChanQueueSubscribe(subject, o.Queue, f.come)
		if err == nil {
			sub.SetClosedHandler(func(string) { f.end() })
		}

		return sub, err
	})
	f.stop = func() { _ = sub.Unsubscribe() }
	f.dropped = func() int {
		n, _ := sub.Dropped() // -1 after the end

		return max(n, f.reported)
	}
	f.push(callback)

	return subscriptionMethods.Object(c.Runtime(), &subscription{f, sub})
}

// When listen returns, the server knows the subscription, and no later message is missed.
func (c *client) listen(
	operation string, conn *connection, subject string, o subscribeOptions, subscribe func() (*natsio.Subscription, error),
) (sub *natsio.Subscription) {
	ctx, cancel := context.WithTimeout(c.VU().Context(), c.config.timeout)
	defer cancel()
	c.timed(conn, &record{operation: operation, subject: c.subject(subject), tags: o.Tags}, func() (err error) {
		if sub, err = subscribe(); err != nil {
			return err
		}
		if o.Max > 0 {
			err = sub.AutoUnsubscribe(o.Max)
		}
		if err == nil {
			err = conn.flush(ctx)
		}
		if err != nil {
			_ = sub.Unsubscribe()
		}

		return err
	})

	return sub
}

type subscription struct {
	*feed[*natsio.Msg]

	sub *natsio.Subscription
}

var subscriptionMethods = feedMethods[*subscription]().With(k6x.Methods[*subscription]{ //nolint:gochecknoglobals // a table
	"dropped": (*subscription).lost,
}).With(calls("", map[string]func(*subscription, *task){"drain": (*subscription).drain}))

func (s *subscription) lost(sobek.FunctionCall) sobek.Value {
	n, _ := s.sub.Dropped() // 0 after the end

	return s.client.Runtime().ToValue(n)
}

func (s *subscription) drain(t *task) {
	t.timeout, t.on = t.duration("the timeout", 0), s.conn
	t.job = func(ctx context.Context, _ *connection, _ *record) error {
		if err := s.sub.Drain(); err != nil {
			return err
		}
		select {
		case <-s.over:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (c *client) respond(call sobek.FunctionCall) sobek.Value {
	a := c.args("respond", call)
	subject := read(&a, "the subject", k6x.Name)
	echo := k6x.IsNullish(call.Argument(1))
	fixed, o := a.owned(), a.subscribeOptions()
	conn := c.ready()
	sub := c.listen("respond", conn, subject, o, func() (*natsio.Subscription, error) {
		return conn.nc.QueueSubscribe(subject, o.Queue, func(m *natsio.Msg) {
			defer conn.contain("a responder")
			data := fixed
			if echo {
				data = m.Data
			}
			if err := m.Respond(data); err != nil {
				conn.failed(err)
			}
		})
	})

	return responderMethods.Object(c.Runtime(), sub)
}

var responderMethods = k6x.Methods[*natsio.Subscription]{ //nolint:gochecknoglobals // a table
	"close": func(sub *natsio.Subscription, _ sobek.FunctionCall) sobek.Value {
		_ = sub.Unsubscribe()

		return sobek.Undefined()
	},
}

package nats

import (
	"context"
	"slices"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type requestOptions struct {
	header  natsio.Header
	timeout time.Duration
	max     int           // answers after which requestMany returns; 0: no limit
	stall   time.Duration // time without an answer after which it returns; 0: its timeout
	extent  extent        // length of a requestBatch
	tags    *k6x.Tags
}

var (
	ofRequest      = requestTable("headers", "timeout", "tags")                           //nolint:gochecknoglobals // a table
	ofRequestMany  = requestTable("headers", "timeout", "max", "stall", "tags")           //nolint:gochecknoglobals // a table
	ofRequestBatch = requestTable("headers", "timeout", "iterations", "duration", "tags") //nolint:gochecknoglobals // a table
)

func requestTable(names ...string) k6x.Options[requestOptions] {
	known := slices.Concat(k6x.Options[requestOptions]{
		k6x.Into("headers", func(o *requestOptions) *natsio.Header { return &o.header }, headers),
		k6x.Into("timeout", func(o *requestOptions) *time.Duration { return &o.timeout }, k6x.Time),
		k6x.Into("max", func(o *requestOptions) *int { return &o.max }, k6x.Count),
		k6x.Into("stall", func(o *requestOptions) *time.Duration { return &o.stall }, k6x.Time),
	}, extentOptions(func(o *requestOptions) *extent { return &o.extent }), k6x.Options[requestOptions]{
		k6x.Into("tags", func(o *requestOptions) **k6x.Tags { return &o.tags }, readTags),
	})

	return slices.DeleteFunc(known, func(o k6x.Option[requestOptions]) bool { return !slices.Contains(names, o.Name) })
}

func (c *client) asking(
	method string, call sobek.FunctionCall, known k6x.Options[requestOptions],
) (*natsio.Msg, *requestOptions, error) {
	m, err := c.outgoing(method, call)
	if err != nil {
		return nil, nil, err
	}
	o := &requestOptions{timeout: c.config.TimeoutEach}
	if err := known.Read(method, call.Argument(2), o); err != nil {
		return nil, nil, err
	}
	o.timeout = max(o.timeout, time.Nanosecond)
	m.Header = c.stamped(o.header)

	return m, o, nil
}

func (c *client) outgoing(method string, call sobek.FunctionCall) (*natsio.Msg, error) {
	subject, err := destination(method, "the subject", call.Argument(0))
	if err != nil {
		return nil, err
	}
	data, err := c.owned(method, call.Argument(1))

	return &natsio.Msg{Subject: subject, Data: data}, err
}

func (c *client) request(call sobek.FunctionCall) (*task, error) {
	m, o, err := c.asking("request", call, ofRequest)
	if err != nil {
		return nil, err
	}
	var answer *natsio.Msg
	var from *connection

	return &task{
		client: c, operation: opRequest, subject: m.Subject, tags: o.tags, timeout: o.timeout, brief: true,
		job: func(ctx context.Context, conn *connection, r *record) (err error) {
			from = conn
			if answer, err = conn.nc.RequestMsgWithContext(ctx, m); err != nil {
				return err
			}
			r.sent.add(m.Data)
			r.received.add(answer.Data)

			return nil
		},
		value: func() (sobek.Value, error) { return c.message(from, answer), nil },
	}, nil
}

func (c *client) requestMany(call sobek.FunctionCall) (*task, error) {
	m, o, err := c.asking("requestMany", call, ofRequestMany)
	if err != nil {
		return nil, err
	}
	var answers []*natsio.Msg
	var from *connection

	return &task{
		client: c, operation: "requestMany", subject: m.Subject, tags: o.tags, timeout: o.timeout + time.Second,
		job: func(ctx context.Context, conn *connection, r *record) (err error) {
			from = conn
			answers, err = gather(ctx, conn, m, o)
			if err == nil {
				r.sent.add(m.Data)
			}
			for _, answer := range answers {
				r.received.add(answer.Data)
			}

			return err
		},
		value: func() (sobek.Value, error) {
			values := make([]any, len(answers))
			for i, answer := range answers {
				values[i] = c.message(from, answer)
			}

			return c.Runtime().NewArray(values...), nil
		},
	}, nil
}

const maxAnswers = 4096

func gather(ctx context.Context, conn *connection, m *natsio.Msg, o *requestOptions) ([]*natsio.Msg, error) {
	come := make(chan *natsio.Msg, maxAnswers)
	over := make(chan struct{})
	m.Reply = conn.nc.NewRespInbox()
	sub, err := conn.nc.ChanSubscribe(m.Reply, come)
	if err != nil {
		return nil, err
	}
	sub.SetClosedHandler(func(string) {
		defer crash.Contain("the end of a subscription")
		close(over)
	})
	defer func() { _ = sub.Unsubscribe() }()
	if err := conn.nc.PublishMsg(m); err != nil {
		return nil, err
	}

	whole := time.NewTimer(o.timeout)
	defer whole.Stop()
	stalled := time.NewTimer(o.timeout)
	defer stalled.Stop()
	var answers []*natsio.Msg
	for o.max == 0 || len(answers) < o.max {
		select {
		case answer := <-come:
			if len(answer.Data) == 0 && answer.Header.Get("Status") == "503" {
				return nil, natsio.ErrNoResponders
			}
			if len(answer.Data) == 0 && len(answer.Header) == 0 {
				return answers, nil
			}
			answers = append(answers, answer)
			if o.stall > 0 {
				stalled.Reset(o.stall)
			}
		case <-whole.C:
			return answers, nil
		case <-stalled.C:
			return answers, nil
		case <-over:
			return answers, natsio.ErrConnectionClosed
		case <-ctx.Done():
			return answers, ctx.Err()
		}
	}

	return answers, nil
}

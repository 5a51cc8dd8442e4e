package nats

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// requestOptions are those of request, requestMany and requestBatch.
type requestOptions struct {
	header  natsio.Header
	timeout time.Duration
	max     int           // answers after which requestMany returns; 0 for no limit
	stall   time.Duration // without an answer after which it returns; 0 for its timeout
	count   int           // requests of requestBatch
}

var requestOptionNames = map[string][]string{ //nolint:gochecknoglobals // a table
	"request":      {"headers", "timeout"},
	"requestMany":  {"headers", "timeout", "max", "stall"},
	"requestBatch": {"headers", "timeout", "count"},
}

func (c *client) readRequestOptions(method string, value sobek.Value) (*requestOptions, error) {
	o := &requestOptions{timeout: c.config.TimeoutEach}
	if k6glue.IsNullish(value) {
		return o, nil
	}
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return nil, misuse("%s: the options must be an object such as { timeout: '1s' }, not %s", method, k6glue.Show(value))
	}
	known := requestOptionNames[method]
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) {
			return nil, misuse("%s: unknown option %q; known are %s", method, key, strings.Join(known, ", "))
		}
		var err error
		switch v := object.Get(key); key {
		case "headers":
			o.header, err = header(v)
		case "timeout":
			o.timeout, err = duration(method+": the timeout", v, o.timeout)
		case "max":
			o.max, err = count(method+": the option max", v)
		case "stall":
			o.stall, err = duration(method+": the option stall", v, 0)
		case "count":
			o.count, err = count(method+": the option count", v)
		}
		if err != nil {
			return nil, err
		}
	}
	o.timeout = max(o.timeout, time.Nanosecond)

	return o, nil
}

// outgoing reads what a request and a publication to a stream have in common: the subject and the data.
func (c *client) outgoing(method string, call sobek.FunctionCall) (*natsio.Msg, error) {
	subject, err := text(method+": the subject", call.Argument(0))
	if err != nil {
		return nil, err
	}
	data, err := c.owned(call.Argument(1))

	return &natsio.Msg{Subject: subject, Data: data}, err
}

// request is client.request(subject, data, options): the answer.
func (c *client) request(call sobek.FunctionCall) (*task, error) {
	m, err := c.outgoing("request", call)
	if err != nil {
		return nil, err
	}
	o, err := c.readRequestOptions("request", call.Argument(2))
	if err != nil {
		return nil, err
	}
	m.Header = c.stamped(o.header)
	var answer *natsio.Msg
	var from *connection

	return &task{
		operation: opRequest, subject: m.Subject, timeout: o.timeout, brief: true,
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

// requestMany is client.requestMany(subject, data, options): all answers that come until there are options.max, none has come for
// options.stall, an empty one without headers has come, or the time is over.
func (c *client) requestMany(call sobek.FunctionCall) (*task, error) {
	m, err := c.outgoing("requestMany", call)
	if err != nil {
		return nil, err
	}
	o, err := c.readRequestOptions("requestMany", call.Argument(2))
	if err != nil {
		return nil, err
	}
	m.Header = c.stamped(o.header)
	var answers []*natsio.Msg
	var from *connection

	return &task{
		operation: "requestMany", subject: m.Subject, timeout: o.timeout + time.Second, // its own time ends it before
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

			return c.vu.Runtime().NewArray(values...), nil
		},
	}, nil
}

// maxAnswers is how many answers may wait to be gathered.
const maxAnswers = 4096

// gather sends a request and waits for its answers.
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

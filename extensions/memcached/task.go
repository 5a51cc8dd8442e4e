package memcached

import (
	"bytes"
	"context"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// task owns its buffers, since other calls run while it waits.
type task struct {
	client     *client
	operation  string
	entry      entry
	request    wire.Request
	reply      wire.Reply
	job        func(t *task) error
	readsValue bool
	effects    effects
}

type effects struct {
	ctx            context.Context //nolint:containedctx // the call's context
	dials          []dialled
	dialling, took time.Duration
	traffic        traffic
}

type dialled struct {
	err  error
	took time.Duration
}

func (c *client) later(command *command, args arguments) sobek.Value {
	t := &task{client: c, operation: command.name, entry: entry{command: command}, readsValue: readsValue(command.verb)}
	t.job = func(t *task) error {
		return c.exchange(c.server(t.request.Key), func(conn *wire.Conn) error { return conn.Do(&t.request, &t.reply) })
	}
	err := c.read(&t.entry, &t.request, args)
	t.request.Value = bytes.Clone(t.request.Value)

	return c.tasks.Later(t, err)
}

func (c *client) asyncConnect(call sobek.FunctionCall) sobek.Value {
	t := &task{client: c, job: func(*task) error { return c.connectAll() }}

	return c.tasks.Later(t, tagsOnly.Read("connect", call.Argument(0), &t.entry))
}

func (c *client) asyncClose(sobek.FunctionCall) sobek.Value {
	return c.tasks.Later(&task{client: c, job: func(*task) error {
		c.disconnect()

		return nil
	}}, nil)
}

// CallTags implements k6x.Tagged.
func (t *task) CallTags() k6x.Tags { return t.entry.tags }

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, _ bool) error {
	t.effects.ctx = ctx
	t.client.effects = &t.effects
	defer func() { t.client.effects = nil }()
	begin := clock.Now()
	err := t.job(t)
	t.effects.took = clock.Since(begin) - t.effects.dialling

	return err
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	c := t.client
	for _, d := range t.effects.dials {
		c.Count(opConnect, d.err)
		c.EmitDuration(opConnect, d.err, d.took)
	}
	c.Traffic(t.effects.traffic.received, t.effects.traffic.sent)
	c.Step(0, t.effects.traffic.received, t.effects.traffic.sent)
	if t.operation == "" {
		c.Emit()

		return sobek.Undefined(), err
	}
	var h hits
	if err == nil && t.readsValue {
		h.of(t.reply.Status)
	}
	c.Count(t.operation, err, h.found, h.missed)
	c.EmitDuration(t.operation, err, t.effects.took)
	if err != nil {
		return nil, err
	}

	return t.entry.command.result(c, &t.entry, &t.reply), nil
}

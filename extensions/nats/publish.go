package nats

import (
	"cmp"
	"strconv"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// sentHeader holds the time of sending, in nanoseconds since 1970, with the option stamp.
const sentHeader = "K6-Sent"

const checkEvery = 1024

type publishOptions struct {
	header     natsio.Header
	reply      string
	iterations int
	tags       *k6x.Tags
}

type publisher struct {
	options k6x.Frozen[*publishOptions]
	batches k6x.Frozen[[][]byte]
	message natsio.Msg
}

func (c *client) publishOne(call sobek.FunctionCall) sobek.Value {
	p := &c.publish
	subject, err := destination("publish", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	o, err := p.readOne(c, "publish", call.Argument(2))
	if err != nil {
		c.Throw(err)
	}
	data, err := c.data("publish", call.Argument(1))
	if err != nil {
		c.Throw(err)
	}
	p.send(c, subject, data, o)

	return sobek.Undefined()
}

func (p *publisher) send(c *client, subject string, data []byte, o *publishOptions) {
	conn := c.ready()
	r := record{operation: "publish", subject: c.subject(subject), tags: o.tags}
	begin := clock.Now()
	err := p.sendOne(c, conn, subject, data, o)
	r.took = clock.Since(begin)
	if err == nil {
		r.sent.add(data)
	}
	r.err = explain(c.VU().Context(), c.config.TimeoutEach, err)
	c.note(&r, conn)
	if r.err != nil {
		c.Throw(r.err)
	}
}

func (c *client) publishBatch(call sobek.FunctionCall) sobek.Value {
	p := &c.publish
	subject, err := destination("publishBatch", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	o, err := p.read(c, "publishBatch", call.Argument(2))
	if err != nil {
		c.Throw(err)
	}
	all, err := p.each(c, call.Argument(1))
	if err != nil {
		c.Throw(err)
	}
	conn := c.ready()
	r := record{operation: "publishBatch", subject: c.subject(subject), tags: o.tags}
	begin := clock.Now()
	err = p.sendAll(c, conn, subject, all, o, &r.sent)
	r.took = clock.Since(begin)
	r.err = explain(c.VU().Context(), c.config.TimeoutEach, err)
	c.note(&r, conn)
	if r.err != nil {
		c.Throw(r.err)
	}

	return c.batchResult(&batchResult{succeeded: r.sent.messages, took: r.took, sent: r.sent.bytes})
}

func (p *publisher) each(c *client, value sobek.Value) ([][]byte, error) {
	if object, ok := value.(*sobek.Object); !ok || object.ClassName() != "Array" {
		data, err := c.owned("publishBatch", value)

		return [][]byte{data}, err
	}

	return p.batches.Of(c.Runtime(), value, func(value sobek.Value) ([][]byte, error) {
		values, err := k6x.Elements("publishBatch", "the data", value)
		if err != nil {
			return nil, err
		}
		all := make([][]byte, len(values))
		for i, v := range values {
			if all[i], err = c.owned("publishBatch", v); err != nil {
				return nil, k6x.Wrong("publishBatch", "message "+strconv.Itoa(i), "a string, an ArrayBuffer or a typed array", v)
			}
		}

		return all, nil
	})
}

func (p *publisher) sendAll(c *client, conn *connection, subject string, all [][]byte, o *publishOptions, sent *volume) error {
	b := c.burst(conn, subject, o)
	if b == nil {
		return c.repeat(all, o.iterations, sent, func(data []byte) error { return p.sendOne(c, conn, subject, data, o) })
	}
	err := c.repeat(all, o.iterations, sent, b.add)

	return cmp.Or(err, b.end())
}

func (c *client) repeat(all [][]byte, iterations int, sent *volume, send func(data []byte) error) error {
	ctx := c.VU().Context()
	for range max(iterations, 1) {
		for _, data := range all {
			if sent.messages%checkEvery == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := send(data); err != nil {
				return err
			}
			sent.add(data)
		}
	}

	return nil
}

func (p *publisher) sendOne(c *client, conn *connection, subject string, data []byte, o *publishOptions) error {
	if c.dataOnly(o) {
		return conn.nc.Publish(subject, data)
	}
	p.message = natsio.Msg{Subject: subject, Data: data, Reply: o.reply, Header: c.stamped(o.header)}

	return conn.nc.PublishMsg(&p.message)
}

func (c *client) dataOnly(o *publishOptions) bool {
	return !c.config.Stamp && o.header == nil && o.reply == ""
}

var noPublishOptions publishOptions //nolint:gochecknoglobals // a constant

func (p *publisher) read(c *client, method string, value sobek.Value) (*publishOptions, error) {
	if k6x.IsNullish(value) {
		return &noPublishOptions, nil
	}

	return p.options.Of(c.Runtime(), value, func(value sobek.Value) (*publishOptions, error) {
		o := &publishOptions{}

		return o, publishing.Read(method, value, o)
	})
}

func (p *publisher) readOne(c *client, method string, value sobek.Value) (*publishOptions, error) {
	o, err := p.read(c, method, value)
	if err == nil && o.iterations != 0 {
		err = k6x.Misuse("%s: the option iterations is only for publishBatch", method)
	}

	return o, err
}

var publishing = k6x.Options[publishOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("headers", func(o *publishOptions) *natsio.Header { return &o.header }, headers),
	k6x.Into("reply", func(o *publishOptions) *string { return &o.reply }, destination),
	k6x.Into("iterations", func(o *publishOptions) *int { return &o.iterations }, k6x.Count),
	k6x.Into("tags", func(o *publishOptions) **k6x.Tags { return &o.tags }, readTags),
}

func (c *client) stamped(h natsio.Header) natsio.Header {
	if !c.config.Stamp {
		return h
	}
	with := make(natsio.Header, len(h)+1)
	for name, values := range h {
		with[name] = values
	}
	with[sentHeader] = []string{strconv.FormatInt(time.Now().UnixNano(), 10)}

	return with
}

func (c *client) outgoingOf(subject string, data []byte, o *publishOptions) *natsio.Msg {
	return &natsio.Msg{Subject: subject, Data: data, Header: c.stamped(o.header)}
}

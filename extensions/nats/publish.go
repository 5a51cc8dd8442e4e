package nats

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

// sentHeader holds the time of sending, in nanoseconds since 1970, with the option stamp.
const sentHeader = "K6-Sent"

// messageOptions are the options of methods that send messages. Expectations of JetStream are sent
// in headers.
type messageOptions struct {
	header     natsio.Header
	reply      string
	timeout    time.Duration
	iterations int
	duration   time.Duration
	tags       *k6x.Tags
}

// messageTable is a table of the options of a method.
type messageTable int

const (
	ofPublish messageTable = iota
	ofPublishBatch
	ofRequest
	ofRequestBatch
	ofStream
	ofStreamNoWait
	ofStreamBatch
	ofRow
	numTables
)

var streamOptions = []string{ //nolint:gochecknoglobals // a constant
	"headers", "tags", "msgID", "expectStream", "expectLastMsgID", "expectLastSequence", "expectLastSequenceForSubject", "ttl",
}

var messageTables = [numTables]k6x.Options[messageOptions]{ //nolint:gochecknoglobals // a table
	ofPublish:      optionsNamed("headers", "reply", "tags"),
	ofPublishBatch: optionsNamed("headers", "reply", "iterations", "tags"),
	ofRequest:      optionsNamed("headers", "timeout", "tags"),
	ofRequestBatch: optionsNamed("headers", "timeout", "iterations", "duration", "tags"),
	ofStream:       optionsNamed(append(streamOptions, "timeout")...),
	ofStreamNoWait: optionsNamed(streamOptions...),
	ofStreamBatch:  optionsNamed(append(streamOptions, "timeout", "iterations")...),
	ofRow:          optionsNamed("iterations", "duration", "tags"),
}

func optionsNamed(names ...string) k6x.Options[messageOptions] {
	return slices.DeleteFunc(k6x.Options[messageOptions]{
		{Name: "headers", Read: func(o *messageOptions, method string, value sobek.Value) error {
			own, err := headers(method, "option headers", value)
			for name, values := range own {
				o.set(name, values)
			}

			return err
		}},
		k6x.Into("reply", func(o *messageOptions) *string { return &o.reply }, destination),
		k6x.Into("timeout", func(o *messageOptions) *time.Duration { return &o.timeout }, k6x.Time),
		k6x.Into("iterations", func(o *messageOptions) *int { return &o.iterations }, k6x.Count),
		k6x.Into("duration", func(o *messageOptions) *time.Duration { return &o.duration }, k6x.Time),
		k6x.Into("tags", func(o *messageOptions) **k6x.Tags { return &o.tags }, readTags),
		inHeader("msgID", jetstream.MsgIDHeader, k6x.Name),
		inHeader("expectStream", jetstream.ExpectedStreamHeader, k6x.Name),
		inHeader("expectLastMsgID", jetstream.ExpectedLastMsgIDHeader, k6x.Name),
		inHeader("expectLastSequence", jetstream.ExpectedLastSeqHeader, decimal),
		inHeader("expectLastSequenceForSubject", jetstream.ExpectedLastSubjSeqHeader, decimal),
		inHeader("ttl", jetstream.MsgTTLHeader, func(method, what string, value sobek.Value) (string, error) {
			ttl, err := k6x.TTL(method, what, value)
			if ttl == 0 {
				return "", err
			}

			return wholeSeconds(ttl).String(), err
		}),
	}, func(o k6x.Option[messageOptions]) bool { return !slices.Contains(names, o.Name) })
}

func (o *messageOptions) set(name string, values []string) {
	if o.header == nil {
		o.header = natsio.Header{}
	}
	o.header[name] = values
}

func inHeader(name, header string, read reader[string]) k6x.Option[messageOptions] {
	return k6x.Option[messageOptions]{Name: name, Read: func(o *messageOptions, method string, value sobek.Value) error {
		said, err := read(method, "option "+name, value)
		if said != "" {
			o.set(header, []string{said})
		}

		return err
	}}
}

func decimal(method, what string, value sobek.Value) (string, error) {
	n, err := k6x.Unsigned(method, what, value)

	return strconv.FormatUint(n, 10), err
}

func wholeSeconds(ttl time.Duration) time.Duration {
	return time.Duration(max(k6x.Seconds(ttl), 1)) * time.Second
}

// messageOptions reads the next argument. Frozen ones are read only once.
func (a *args) messageOptions(table messageTable) *messageOptions {
	c, value := a.client, a.next()
	a.hasTags = true
	o := &c.usual
	if a.err == nil && !k6x.IsNullish(value) {
		o, a.err = c.frozen[table].Of(c.Runtime(), value, func(value sobek.Value) (*messageOptions, error) {
			o := c.usual
			err := messageTables[table].Read(a.method, value, &o)
			o.timeout = max(o.timeout, time.Nanosecond)

			return &o, err
		})
	}
	a.tags = o.tags

	return o
}

// outgoing reads a subject, data and options.
func (a *args) outgoing(table messageTable) (*natsio.Msg, *messageOptions) {
	m := &natsio.Msg{Subject: a.subject(), Data: a.owned()}
	o := a.messageOptions(table)
	m.Header = a.client.stamped(o.header)

	return m, o
}

// messages reads the data of a batch: one message, or an array of them.
func (a *args) messages() [][]byte {
	c := a.client

	return read(a, "the data", func(method, what string, value sobek.Value) ([][]byte, error) {
		return c.batches.Of(c.Runtime(), value, func(value sobek.Value) ([][]byte, error) {
			values, err := oneOrMore(method, what, value)
			if err != nil {
				return nil, err
			}
			all := make([][]byte, len(values))
			for i, v := range values {
				if all[i], err = c.owned(method, v); err != nil && v != value {
					err = k6x.Wrong(method, "message "+strconv.Itoa(i), "a string, an ArrayBuffer or a typed array", v)
				}
				if err != nil {
					return nil, err
				}
			}

			return all, nil
		})
	})
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

func (c *client) publish(call sobek.FunctionCall) sobek.Value {
	a := c.args("publish", call)
	subject, data, o := a.subject(), a.data(), a.messageOptions(ofPublish)
	a.must()
	c.publishOne(subject, data, o)

	return sobek.Undefined()
}

func (c *client) publishOne(subject string, data []byte, o *messageOptions) {
	conn := c.ready()
	r := record{operation: "publish", subject: c.subject(subject), tags: o.tags}
	c.timed(conn, &r, func() error {
		err := c.send(conn, subject, data, o)
		if err == nil {
			r.sent.add(data)
		}

		return err
	})
}

func (c *client) send(conn *connection, subject string, data []byte, o *messageOptions) error {
	if c.dataOnly(o) {
		return conn.nc.Publish(subject, data)
	}
	c.outbox = natsio.Msg{Subject: subject, Data: data, Reply: o.reply, Header: c.stamped(o.header)}

	return conn.nc.PublishMsg(&c.outbox)
}

func (c *client) dataOnly(o *messageOptions) bool {
	return !c.config.Stamp && o.header == nil && o.reply == ""
}

func (c *client) publishBatch(call sobek.FunctionCall) sobek.Value {
	a := c.args("publishBatch", call)
	subject, all, o := a.subject(), a.messages(), a.messageOptions(ofPublishBatch)
	a.must()
	conn := c.ready()
	r := record{operation: "publishBatch", subject: c.subject(subject), tags: o.tags}
	c.timed(conn, &r, func() error {
		b := c.burst(conn, subject, o)
		if b == nil {
			return c.repeat(all, o.iterations, &r.sent, func(data []byte) error { return c.send(conn, subject, data, o) })
		}
		err := c.repeat(all, o.iterations, &r.sent, b.add)

		return cmp.Or(err, b.end())
	})

	return c.batchResult(&batchResult{succeeded: r.sent.messages, took: r.took, sent: r.sent.bytes})
}

const checkEvery = 1024

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

type batchResult struct {
	succeeded, failed int
	took              time.Duration
	sent, received    int // bytes of data
}

func (m *module) batchResult(b *batchResult) *sobek.Object {
	return m.plainObject(map[string]any{
		"succeeded": b.succeeded, "failed": b.failed, "seconds": b.took.Seconds(), "bytesSent": b.sent, "bytesReceived": b.received,
	})
}

// checkExtent requires one of iterations and duration, unless usual is the default of iterations.
func (a *args) checkExtent(o *messageOptions, usual int) {
	switch {
	case o.iterations > 0 && o.duration > 0:
		a.refuse("options iterations and duration cannot both be given: iterations is %d, duration %s", o.iterations, o.duration)
	case o.iterations == 0 && o.duration == 0 && usual == 0:
		a.refuse("option iterations (a number of operations) or duration (a time such as '30s') must be given")
	}
}

// over reports whether a batch with these options has done its work.
func (o *messageOptions) over(done int, since time.Duration) bool {
	if o.duration > 0 {
		return clock.Since(since) >= o.duration
	}

	return done >= max(o.iterations, 1)
}

const burstBytes = 64 << 10

var bursts = sync.Pool{New: func() any { //nolint:gochecknoglobals // shared by all clients
	return &burst{frames: make([]byte, 0, 2*burstBytes)}
}}

// burst publishes many messages for one subject. nats.go would lock and wake its writer for each
// message.
type burst struct {
	to      *countedConn
	subject string
	most    int64
	frames  []byte // bytes that are not written yet
}

// burst returns a burst, or nil if the messages must go through nats.go: with headers or a reply
// subject, while the connection is being restored (or kept for that), over TLS and WebSockets,
// after publications that are not written yet, and for an invalid subject.
func (c *client) burst(conn *connection, subject string, o *messageOptions) *burst {
	to := conn.bare.Load()
	if to == nil || !c.dataOnly(o) || c.config.ReconnectBuffer > 0 || !conn.nc.IsConnected() || !wire.IsSubject(subject) {
		return nil
	}
	if waiting, err := conn.nc.Buffered(); err != nil || waiting > 0 {
		return nil
	}
	b := bursts.Get().(*burst) //nolint:forcetypeassert // the pool holds no other type
	b.to, b.subject, b.most = to, subject, conn.nc.MaxPayload()

	return b
}

func (b *burst) add(data []byte) error {
	if int64(len(data)) > b.most {
		return natsio.ErrMaxPayload
	}
	b.frames = wire.AppendPublish(b.frames, b.subject, "", nil, data)
	if len(b.frames) < burstBytes {
		return nil
	}

	return b.write()
}

func (b *burst) end() error {
	err := b.write()
	b.to = nil
	if cap(b.frames) <= 2*burstBytes {
		bursts.Put(b)
	}

	return err
}

func (b *burst) write() error {
	if len(b.frames) == 0 {
		return nil
	}
	_, err := b.to.Write(b.frames)
	b.frames = b.frames[:0]

	return err
}

package wire

import (
	"context"
	"time"
)

// Session is a session of a gateway. It is safe for concurrent use, once Register has returned.
type Session struct {
	Opened

	conn         *Conn
	schema       *Schema
	serverHandle int64
}

// OpenSession opens a session. Like all calls, it returns an *Error.
func (c *Conn) OpenSession(ctx context.Context, schema *Schema, name string) (*Session, error) {
	out := &openReply{schema: schema}
	in := &request{bytes: schema.open.name.appendText(nil, name)}
	if err := c.invoke(c.authorized(ctx), schema.open.method, in, out); err != nil {
		return nil, err
	}
	if err := out.status.err(&schema.open.status, c.key); err != nil {
		return nil, err
	}
	if out.opened.SessionID == "" {
		return nil, Errorf(KindProtocol, "the reply to OpenSession has no session_id")
	}

	return &Session{Opened: out.opened, conn: c, schema: schema}, nil
}

// Close closes the session.
func (s *Session) Close(ctx context.Context) error {
	f := &s.schema.close
	out := &closeReply{schema: s.schema}
	in := &request{bytes: f.session.appendText(nil, s.SessionID)}
	if err := s.conn.invoke(s.conn.authorized(ctx), f.method, in, out); err != nil {
		return err
	}

	return out.status.err(&f.status, s.conn.key)
}

// Register registers the client, and returns the server handle of later commands.
func (s *Session) Register(ctx context.Context, clientName string) (int64, error) {
	f := &s.schema.register
	out := &registerReply{schema: s.schema}
	if err := s.do(ctx, f.command, f.name.appendText(nil, clientName), f.reply, out, "register"); err != nil {
		return 0, err
	}
	s.serverHandle = out.handle

	return out.handle, nil
}

// Subscribe advises tags, and returns an item for each, in order.
func (s *Session) Subscribe(ctx context.Context, tags []string) ([]Item, error) {
	f := &s.schema.subscribe
	body := f.serverHandle.appendInt(nil, s.serverHandle)
	for _, tag := range tags {
		body = f.tags.appendText(body, tag)
	}
	out := &subscribeReply{schema: s.schema}
	if err := s.do(ctx, f.command, body, s.schema.subscription.payload.at, out, "bulk_subscribe"); err != nil {
		return nil, err
	}
	if err := checkCount(len(out.items), len(tags)); err != nil {
		return nil, err
	}

	return out.items, nil
}

// Unsubscribe ends the subscriptions of items, and returns their results.
func (s *Session) Unsubscribe(ctx context.Context, handles []int64) ([]Item, error) {
	f := &s.schema.unsubscribe
	body := f.items.appendInts(f.serverHandle.appendInt(nil, s.serverHandle), handles)
	out := &subscribeReply{schema: s.schema}
	if err := s.do(ctx, f.command, body, s.schema.subscription.payload.at, out, "bulk_subscribe"); err != nil {
		return nil, err
	}

	return out.items, nil
}

// ReadBulk reads tags, and returns their results in order. Wait is how long the worker may wait for
// a value; 0: the worker's setting.
func (s *Session) ReadBulk(ctx context.Context, tags []string, wait time.Duration) ([]Result, error) {
	out := &valueReply{schema: s.schema}
	if err := s.do(ctx, s.schema.read.command, s.readBody(tags, wait), s.schema.result.payload.at, out, "bulk_read"); err != nil {
		return nil, err
	}
	if err := checkCount(len(out.results), len(tags)); err != nil {
		return nil, err
	}

	return out.results, nil
}

func (s *Session) readBody(tags []string, wait time.Duration) []byte {
	f := &s.schema.read
	body := f.serverHandle.appendInt(nil, s.serverHandle)
	for _, tag := range tags {
		body = f.tags.appendText(body, tag)
	}
	if wait > 0 {
		body = f.timeout.appendInt(body, wait.Milliseconds())
	}

	return body
}

func (s *Session) do(ctx context.Context, c command, body []byte, at field, payload reply, named string) error {
	bytes, _ := s.request(c, body)
	out := &commandReply{schema: s.schema, at: at, payload: payload}
	if err := s.conn.invoke(s.conn.authorized(ctx), s.schema.invoke.method, &request{bytes: bytes}, out); err != nil {
		return err
	}

	return out.err(s.conn.key, named)
}

func (r *commandReply) err(key, named string) error {
	if err := r.status.err(&r.schema.invoke.status, key); err != nil {
		return err
	}
	if !r.there {
		return Errorf(KindProtocol, "the reply has no %s", named)
	}

	return nil
}

const correlationDigits = 16

// The last bytes of a request are the correlation id, if there is one.
func (s *Session) request(c command, body []byte) (bytes []byte, correlated bool) {
	f := &s.schema.invoke
	var inner []byte
	if f.kind.number != 0 {
		inner = f.kind.appendInt(inner, c.kind)
	}
	inner = c.payload.appendMessage(inner, body)
	bytes = f.session.appendText(nil, s.SessionID)
	bytes = f.command.appendMessage(bytes, inner)
	if f.correlation.number == 0 {
		return bytes, false
	}

	return f.correlation.appendText(bytes, "0000000000000000"), true
}

func checkCount(got, wanted int) error {
	if got == wanted {
		return nil
	}

	return Errorf(KindProtocol, "the reply has %d results for %d tags", got, wanted)
}

// RepeatedRead repeats a ReadBulk, in one goroutine.
type RepeatedRead struct {
	session    *Session
	tags       int
	timeout    time.Duration
	in         request
	correlated bool
	calls      uint64
	reply      commandReply
	counted    countReply
}

// Repeated returns a repeatable ReadBulk. Wait is as in ReadBulk; timeout is for each call.
func (s *Session) Repeated(tags []string, wait, timeout time.Duration) *RepeatedRead {
	r := &RepeatedRead{session: s, tags: len(tags), timeout: timeout, counted: countReply{schema: s.schema}}
	r.in.bytes, r.correlated = s.request(s.schema.read.command, s.readBody(tags, wait))
	r.reply = commandReply{schema: s.schema, at: s.schema.result.payload.at, payload: &r.counted}

	return r
}

// Context returns the context for Read, which holds the key.
func (r *RepeatedRead) Context(ctx context.Context) context.Context {
	return r.session.conn.authorized(ctx)
}

// Bytes returns the sizes of the last call's messages.
func (r *RepeatedRead) Bytes() (sent, received int) { return len(r.in.bytes), r.reply.size }

// Read reads the tags once, and counts the results without decoding values. The context comes from
// Context.
func (r *RepeatedRead) Read(ctx context.Context) (Counts, error) {
	r.calls++
	if r.correlated {
		stamp(r.in.bytes[len(r.in.bytes)-correlationDigits:], r.calls)
	}
	r.counted.counts, r.reply.size = Counts{}, 0
	call, stop := context.WithTimeout(ctx, r.timeout)
	err := r.session.conn.invoke(call, r.session.schema.invoke.method, &r.in, &r.reply)
	stop()
	if err != nil {
		r.in.bytes = append([]byte(nil), r.in.bytes...) // gRPC may still use the old ones

		return Counts{}, err
	}
	if err := r.reply.err(r.session.conn.key, "bulk_read"); err != nil {
		return Counts{}, err
	}
	if err := checkCount(r.counted.counts.Results, r.tags); err != nil {
		return Counts{}, err
	}

	return r.counted.counts, nil
}

func stamp(into []byte, n uint64) {
	const digits = "0123456789abcdef"
	for i := len(into) - 1; i >= 0; i-- {
		into[i] = digits[n%16]
		n /= 16
	}
}

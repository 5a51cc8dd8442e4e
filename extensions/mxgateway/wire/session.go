package wire

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Opened is the gateway's description of a new session. Fields that its .proto does not have are ""
// or 0.
type Opened struct {
	SessionID                       string
	BackendName                     string
	GatewayProtocol, WorkerProtocol int64 // protocol versions
}

// Session is a session of a gateway. It is safe for concurrent use, once Register has returned.
type Session struct {
	Opened

	conn         *Conn
	schema       *Schema
	serverHandle int64
	lastRead     atomic.Pointer[readRequest]
}

// readRequest is the last encoded ReadBulk: most sessions repeat theirs.
type readRequest struct {
	tags []string
	wait time.Duration
	raw  []byte
}

// OpenSession opens a session. Like all calls, it returns an *Error.
func (c *Conn) OpenSession(ctx context.Context, schema *Schema, name string) (*Session, error) {
	in := dynamicpb.NewMessage(schema.open.in)
	set(in, "client_session_name", name)
	reply, err := c.call(ctx, schema, schema.open, encoded(in))
	if err != nil {
		return nil, err
	}
	opened := Opened{
		SessionID: text(reply, "session_id"), BackendName: text(reply, "backend_name"),
		GatewayProtocol: integer(reply, "gateway_protocol_version"), WorkerProtocol: integer(reply, "worker_protocol_version"),
	}
	if opened.SessionID == "" {
		return nil, Errorf(KindProtocol, "the reply to OpenSession has no session_id")
	}

	return &Session{Opened: opened, conn: c, schema: schema}, nil
}

// Close closes the session.
func (s *Session) Close(ctx context.Context) error {
	in := dynamicpb.NewMessage(s.schema.close.in)
	set(in, "session_id", s.SessionID)
	_, err := s.conn.call(ctx, s.schema, s.schema.close, encoded(in))

	return err
}

func (c *Conn) call(ctx context.Context, s *Schema, m method, in []byte) (protoreflect.Message, error) {
	reply := messageReply{dynamicpb.NewMessage(m.out)}
	if err := c.invoke(c.authorized(ctx), m.path, &request{bytes: in}, reply); err != nil {
		return nil, err
	}

	return reply.Message, s.failure(m, reply.Message, c.key)
}

// Register registers the client, and returns the server handle of later commands.
func (s *Session) Register(ctx context.Context, clientName string) (int64, error) {
	reply, err := s.do(ctx, "register", "register", fields{"client_name": clientName})
	if err != nil {
		return 0, err
	}
	s.serverHandle = integer(reply, "server_handle")
	s.lastRead.Store(nil)

	return s.serverHandle, nil
}

// Subscribe advises tags, and returns an item for each, in order.
func (s *Session) Subscribe(ctx context.Context, tags []string) ([]Item, error) {
	reply, err := s.do(ctx, "subscribe_bulk", "bulk_subscribe", fields{"server_handle": s.serverHandle, "tag_addresses": tags})
	if err != nil {
		return nil, err
	}
	items := s.schema.itemsOf(reply)

	return items, checkCount(len(items), len(tags))
}

// Unsubscribe ends the subscriptions of items, and returns their results.
func (s *Session) Unsubscribe(ctx context.Context, handles []int64) ([]Item, error) {
	reply, err := s.do(ctx, "unsubscribe_bulk", "bulk_subscribe", fields{"server_handle": s.serverHandle, "item_handles": handles})
	if err != nil {
		return nil, err
	}

	return s.schema.itemsOf(reply), nil
}

// ReadBulk reads tags, and returns their results in order. Wait is how long the worker may wait for
// a value; 0: the worker's setting.
func (s *Session) ReadBulk(ctx context.Context, tags []string, wait time.Duration) ([]Result, error) {
	last := s.lastRead.Load()
	if last == nil || last.wait != wait || !slices.Equal(last.tags, tags) {
		raw, _ := s.request("read_bulk", s.read(tags, wait))
		last = &readRequest{slices.Clone(tags), wait, raw}
		s.lastRead.Store(last)
	}
	reply, err := s.send(ctx, last.raw, "bulk_read")
	if err != nil {
		return nil, err
	}
	results := s.schema.resultsOf(reply)
	if err := checkCount(len(results), len(tags)); err != nil {
		return nil, err
	}

	return results, nil
}

func (s *Session) read(tags []string, wait time.Duration) fields {
	f := fields{"server_handle": s.serverHandle, "tag_addresses": tags}
	if wait > 0 {
		f["timeout_ms"] = wait.Milliseconds()
	}

	return f
}

type fields map[protoreflect.Name]any

func (s *Session) do(ctx context.Context, command, payload protoreflect.Name, f fields) (protoreflect.Message, error) {
	in, _ := s.request(command, f)

	return s.send(ctx, in, payload)
}

func (s *Session) send(ctx context.Context, in []byte, payload protoreflect.Name) (protoreflect.Message, error) {
	reply, err := s.conn.call(ctx, s.schema, s.schema.invoke, in)
	if err != nil {
		return nil, err
	}
	at := s.schema.invoke.out.Fields().ByName(payload)
	if !reply.Has(at) {
		return nil, noPayload(payload)
	}

	return reply.Get(at).Message(), nil
}

func noPayload(name protoreflect.Name) error {
	return Errorf(KindProtocol, "the reply has no %s", name)
}

const correlationDigits = 16

// The last bytes of a request are the correlation id, if there is one.
func (s *Session) request(name protoreflect.Name, f fields) (raw []byte, correlated bool) {
	in := dynamicpb.NewMessage(s.schema.invoke.in)
	set(in, "session_id", s.SessionID)
	command := child(in, "command")
	set(command, "kind", s.schema.kinds[name])
	body := child(command, name)
	for name, value := range f {
		set(body, name, value)
	}
	raw = encoded(in)
	correlation := number(s.schema.invoke.in, "correlation_id")
	if correlation == 0 {
		return raw, false
	}

	return protowire.AppendString(protowire.AppendTag(raw, correlation, protowire.BytesType), "0000000000000000"), true
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
	reply      countReply
}

// Repeated returns a repeatable ReadBulk. Wait is as in ReadBulk; timeout is for each call.
func (s *Session) Repeated(tags []string, wait, timeout time.Duration) *RepeatedRead {
	r := &RepeatedRead{session: s, tags: len(tags), timeout: timeout, reply: countReply{schema: s.schema}}
	r.in.bytes, r.correlated = s.request("read_bulk", s.read(tags, wait))

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
	r.reply.size = 0
	call, stop := context.WithTimeout(ctx, r.timeout)
	err := r.session.conn.invoke(call, r.session.schema.invoke.path, &r.in, &r.reply)
	stop()
	if err != nil {
		r.in.bytes = append([]byte(nil), r.in.bytes...) // gRPC may still use the old ones

		return Counts{}, err
	}
	if r.reply.failed != nil {
		if err := r.session.schema.failure(r.session.schema.invoke, r.reply.failed, r.session.conn.key); err != nil {
			return Counts{}, err
		}
	}
	if !r.reply.there {
		return Counts{}, noPayload("bulk_read")
	}
	if err := checkCount(r.reply.counts.Results, r.tags); err != nil {
		return Counts{}, err
	}

	return r.reply.counts, nil
}

func stamp(into []byte, n uint64) {
	const digits = "0123456789abcdef"
	for i := len(into) - 1; i >= 0; i-- {
		into[i] = digits[n%16]
		n /= 16
	}
}

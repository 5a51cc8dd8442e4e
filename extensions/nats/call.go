package nats

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

// object is a client, or an object that works through one.
type object interface {
	k6x.Tasker
	owner() *client
}

// through is embedded in objects that work through a client.
type through struct{ client *client }

func (o through) owner() *client { return o.client }

// Tasks implements k6x.Tasker.
func (o through) Tasks() *k6x.Tasks { return o.client.tasks }

// args are the arguments of a call. They are read in order; the first error counts.
type args struct {
	client *client
	method string // name in errors
	call   sobek.FunctionCall
	at     int // position of the next argument
	err    error
	tags   *k6x.Tags
	// hasTags means that the tags have been read, with other options.
	hasTags bool
}

func (c *client) args(method string, call sobek.FunctionCall) args {
	return args{client: c, method: method, call: call}
}

// must throws the error of the arguments.
func (a *args) must() {
	if a.err != nil {
		a.client.Throw(a.err)
	}
}

func (a *args) next() sobek.Value {
	a.at++

	return a.call.Argument(a.at - 1)
}

type reader[V any] = func(method, what string, value sobek.Value) (V, error)

func read[V any](a *args, what string, as reader[V]) (v V) {
	value := a.next()
	if a.err == nil {
		v, a.err = as(a.method, what, value)
	}

	return v
}

func (a *args) subject() string { return read(a, "the subject", destination) }

func (a *args) duration(what string, fallback time.Duration) time.Duration {
	return read(a, what, func(method, what string, value sobek.Value) (time.Duration, error) {
		return k6x.Duration(method, what, value, fallback)
	})
}

// data returns bytes that are valid until the client's next call.
func (a *args) data() []byte {
	return read(a, "", func(method, _ string, value sobek.Value) ([]byte, error) {
		return a.client.bytes(method, value, &a.client.scratch)
	})
}

// owned returns a copy of the bytes, for promises: the script may change the value.
func (a *args) owned() []byte {
	return read(a, "", func(method, _ string, value sobek.Value) ([]byte, error) { return a.client.owned(method, value) })
}

// callback returns the next argument if it is a function, else nil; null and undefined are skipped.
func (a *args) callback() sobek.Callable {
	value := a.call.Argument(a.at)
	callback, is := sobek.AssertFunction(value)
	if is || k6x.IsNullish(value) {
		a.at++
	}

	return callback
}

// options reads an object with the json tags of into, which points to a struct.
func (a *args) options(into any) {
	value := a.next()
	if err := k6x.ReadOptions(value, into); err != nil {
		a.refuse("%s", err)
	}
	a.hasTags = true
}

// readOptions reads an object by a table.
func readOptions[T any](a *args, known k6x.Options[T], into *T) {
	value := a.next()
	if a.err == nil {
		a.err = known.Read(a.method, value, into)
	}
	a.hasTags = true
}

func (a *args) refuse(format string, values ...any) {
	if a.err == nil {
		a.err = k6x.Misuse(a.method+": "+format, values...)
	}
}

var tagsOnly = k6x.Options[*k6x.Tags]{ //nolint:gochecknoglobals // a table
	k6x.Into("tags", func(t **k6x.Tags) **k6x.Tags { return t }, readTags),
}

func readTags(method, what string, value sobek.Value) (*k6x.Tags, error) {
	tags, err := k6x.ReadTags(method, what, value)

	return &tags, err
}

// readTags reads { tags } after the arguments, if no options with tags were among them.
func (a *args) readTags() {
	value := a.next()
	if a.err != nil || a.hasTags || k6x.IsNullish(value) {
		return
	}
	a.tags, a.err = a.client.callTags.Of(a.client.Runtime(), value, func(value sobek.Value) (tags *k6x.Tags, err error) {
		return tags, tagsOnly.Read(a.method, value, &tags)
	})
}

func (c *client) owned(method string, value sobek.Value) ([]byte, error) {
	var own []byte
	data, err := c.bytes(method, value, &own)
	if _, isText := value.(sobek.String); isText {
		return data, err
	}

	return slices.Clone(data), err
}

func (c *client) bytes(method string, value sobek.Value, buffer *[]byte) ([]byte, error) {
	if k6x.IsNullish(value) {
		return nil, nil
	}

	return k6x.Bytes(c.Runtime(), method, "the data", value, buffer)
}

func truth(_, _ string, value sobek.Value) (bool, error) { return value.ToBoolean(), nil }

func headers(method, what string, value sobek.Value) (natsio.Header, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Object" {
		return nil, k6x.Wrong(method, what, "an object such as { name: 'value' }", value)
	}
	h := natsio.Header{}
	for _, name := range object.Keys() {
		if !wire.IsHeaderName(name) {
			return nil, k6x.Misuse("%s: the header name %q must be letters, digits and signs such as - _ .", method, name)
		}
		values, err := oneOrMore(method, "header "+name, object.Get(name))
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			s, ok := v.(sobek.String)
			if !ok {
				return nil, k6x.Wrong(method, "header "+name, "a string or an array of strings", v)
			}
			if strings.ContainsAny(s.String(), "\r\n") {
				return nil, k6x.Misuse("%s: header %s has a line break, which would end it", method, name)
			}
			h[name] = append(h[name], s.String())
		}
	}

	return h, nil
}

// oneOrMore returns the elements of an array, or the value itself.
func oneOrMore(method, what string, value sobek.Value) ([]sobek.Value, error) {
	if object, ok := value.(*sobek.Object); ok && object.ClassName() == "Array" {
		return k6x.Elements(method, what, value)
	}

	return []sobek.Value{value}, nil
}

// The server silently accepts subjects with an empty token or a wildcard, and delivers such
// messages to no one.
func destination(method, what string, value sobek.Value) (string, error) {
	subject, err := k6x.Name(method, what, value)
	if err != nil {
		return "", err
	}
	for token := range strings.SplitSeq(subject, ".") {
		if token == "" || token == "*" || token == ">" || strings.ContainsAny(token, " \t\r\n") {
			return "", k6x.Wrong(method, what, "words with dots between them, without blanks and wildcards", value)
		}
	}

	return subject, nil
}

const opConnect = "connect"

// task is a call with a blocking and an async form.
type task struct {
	args

	operation, subject string
	timeout            time.Duration // 0: the client's
	// brief means that no goroutine outlives the job and its context.
	brief bool
	// on is the connection that the job needs, even if the client has a new one; nil: the client's.
	on   *connection
	runs bool
	// apart means that the call is not part of an operation of the sweep.
	apart bool
	// job does the work, and counts the messages in its record; nil: only connect.
	job   func(ctx context.Context, conn *connection, r *record) error
	value func() (sobek.Value, error)

	conn     *connection
	recorded []record
}

type operation[T object] = k6x.Operation[T, *task]

// calls returns the blocking and async methods of calls, which are named prefix and name in
// metrics.
func calls[T object](prefix string, all map[string]func(of T, t *task)) k6x.Methods[T] {
	operations := make(map[string]operation[T], len(all))
	for name, prepare := range all {
		operations[name] = called(prefix, name, prepare)
	}

	return k6x.BothForms(operations)
}

// called returns a call. prepare reads its arguments, except for tags at their end, and sets job
// and value.
func called[T object](prefix, name string, prepare func(of T, t *task)) operation[T] {
	operation := prefix + name

	return func(of T, call sobek.FunctionCall) (*task, error) {
		t := &task{args: of.owner().args(name, call), operation: operation}
		prepare(of, t)
		t.readTags()

		return t, t.err
	}
}

// Do implements k6x.Task.
func (t *task) Do(ctx context.Context, waits bool) error {
	c := t.client
	t.conn, t.recorded = t.on, nil
	if waits {
		t.recorded = c.room[:0]
	} else {
		t.brief = false // other tasks run at the same time
	}
	if t.runs {
		if rc := c.runs(); rc != nil {
			return t.connected(rc.connect(ctx, &t.recorded))
		}
	}
	if t.conn == nil {
		var err error
		t.conn, err = c.acquire(ctx, &t.recorded)
		if err != nil || t.job == nil {
			return t.connected(err)
		}
	}
	timeout := t.timeout
	if timeout == 0 {
		timeout = c.config.timeout
	}
	t.recorded = append(t.recorded, record{operation: t.operation, subject: c.subject(t.subject), tags: t.tags, apart: t.apart})
	r := &t.recorded[len(t.recorded)-1]
	at, begin := time.Now(), clock.Now()
	err := ctx.Err()
	if err == nil {
		err = t.work(ctx, r, at, timeout)
	}
	r.took = clock.Since(begin)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, natsio.ErrTimeout) {
		if why := t.conn.refused(at, t.subject); why != nil {
			err = why
		}
	}
	if why := t.conn.lie.Load(); err != nil && why != nil {
		err = why
	}
	r.err = explain(ctx, timeout, t.conn.withoutJetStream(t.operation, err))

	if !waits {
		return r.err
	}

	return c.silenced(t.operation, r.err)
}

// connected tags the connections of a task that only connects.
func (t *task) connected(err error) error {
	if t.job == nil {
		for i := range t.recorded {
			t.recorded[i].tags = t.tags
		}
	}

	return err
}

// A callback of the same VU cannot answer while the VU waits.
func (c *client) silenced(operation string, err error) error {
	if operation != opRequest || c.callbacks.Load() == 0 {
		return err
	}
	e, is := errors.AsType[*k6x.Error](err)
	if !is || e.Kind != k6x.KindTimeout {
		return err
	}
	hinted := *e
	hinted.Message += "; callbacks of this VU cannot answer while request waits: use asyncRequest"

	return &hinted
}

func (t *task) work(ctx context.Context, r *record, begin time.Time, timeout time.Duration) (err error) {
	defer crash.Catch(&err)
	if t.brief {
		calls := &t.client.calls
		defer calls.End()

		return t.job(calls.Begin(ctx, begin, timeout), t.conn, r)
	}
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	return t.job(within, t.conn, r)
}

func explain(ctx context.Context, timeout time.Duration, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return k6x.TestEnded()
	}
	if own, is := errors.AsType[*k6x.Error](err); is {
		return own
	}
	e := scriptError(err)
	if e.Kind == k6x.KindTimeout {
		e.Message = "no answer within timeout (" + timeout.String() + ")"
	}

	return &e
}

// Finish implements k6x.Task.
func (t *task) Finish(err error) (sobek.Value, error) {
	t.client.noteAll(t.recorded, t.conn)
	switch {
	case err != nil:
		return nil, err
	case t.value == nil:
		return sobek.Undefined(), nil
	}

	return t.value()
}

// counted returns the operation's bytes, without connecting, and its duration.
func (t *task) counted() (sent, received uint64, took time.Duration) {
	c := t.client
	for i := range t.recorded {
		r := &t.recorded[i]
		if r.operation == opConnect {
			c.note(r, t.conn)

			continue
		}
		sent, received = t.conn.claim(c.module)
		took = r.took
		c.count(r)
	}

	return sent, received, took
}

func (c *client) ready() *connection {
	recorded := c.room[:0]
	conn, err := c.acquire(c.VU().Context(), &recorded)
	c.noteAll(recorded, conn)
	if err != nil {
		c.Throw(err)
	}

	return conn
}

// timed does a call on the VU's goroutine. It records the call, and throws its error.
func (c *client) timed(conn *connection, r *record, do func() error) {
	begin := clock.Now()
	err := do()
	r.took = clock.Since(begin)
	r.err = explain(c.VU().Context(), c.config.timeout, err)
	c.note(r, conn)
	if r.err != nil {
		c.Throw(r.err)
	}
}

package nats

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

const maxReplicas = 5 // JetStream's limit

type layout struct {
	*perConnection[*kvlayout.Store]

	bench *workload.CacheBench
	store *layoutStore // used by benchmarks
}

func (c *client) layout(call sobek.FunctionCall) sobek.Value {
	a, l := c.args("layout", call), &layout{}
	var o kvlayout.Options
	a.options(&o)
	if _, err := kvlayout.ParseLayout(string(o.Layout)); err != nil {
		a.refuse("%s", err)
	}
	if o.Replicas < 0 || o.Replicas > maxReplicas {
		a.refuse("replicas must be from 1 to %d, or 0 for 1, not %d", maxReplicas, o.Replicas)
	}
	a.must()
	l.perConnection = within(newJetStream(c), func(ctx context.Context, js jetstream.JetStream) (*kvlayout.Store, error) {
		return kvlayout.Open(ctx, js, o)
	})
	target := c.config.hosts() + " " + string(o.Layout) + " " + o.Database
	l.store = newLayoutStore(c, o, l.work)
	l.bench = workload.NewCache(layoutHost{c.module, &l.store.task}, &c.shared.bench, target, l.store)
	if l.store.over != nil {
		l.bench.TakeTurns(l.store.over.seat)
	}

	return layoutMethods.Object(c.Runtime(), l)
}

var layoutMethods = calls("layout.", map[string]func(*layout, *task){ //nolint:gochecknoglobals // a table
	"put":    (*layout).put,
	"get":    (*layout).get,
	"delete": (*layout).remove,
	"list":   (*layout).list,
	"drop":   (*layout).drop,
}).With(k6x.Methods[*layout]{"run": (*layout).run, "prefill": (*layout).prefill, "ycsb": (*layout).ycsb})

func (l *layout) run(call sobek.FunctionCall) sobek.Value { return l.store.inRun(l.bench.Run, call) }

func (l *layout) ycsb(call sobek.FunctionCall) sobek.Value { return l.store.inRun(l.bench.YCSB, call) }

type layoutHost struct {
	*module

	task *task
}

// Tag implements workload.BenchHost.
func (h layoutHost) Tag(tags k6x.Tags) {
	h.task.tags = nil
	if tags.Key() != "" {
		h.task.tags = &tags
	}
}

func (l *layout) prefill(call sobek.FunctionCall) sobek.Value {
	return l.store.inRun(l.bench.Prefill, call)
}

func (l *layout) work(ctx context.Context, conn *connection, r *record) error {
	found, err := l.on(ctx, conn)
	if err != nil {
		return err
	}

	return l.store.overStore(ctx, found, r)
}

type recordOptions struct {
	Table    string         `json:"table"`
	Metadata map[string]any `json:"metadata"`
	Tags     *k6x.Tags      `json:"tags"`
}

func (l *layout) put(t *task) {
	key, value := read(&t.args, "the key", k6x.Name), t.owned()
	var o recordOptions
	t.options(&o)
	t.tags = o.Tags
	l.use(t, func(ctx context.Context, store *kvlayout.Store, r *record) error {
		err := store.Put(ctx, kvlayout.Record{Table: o.Table, Key: key, Value: value, Metadata: o.Metadata})
		if err == nil {
			r.sent.add(value)
		}

		return err
	})
}

type tableOptions struct {
	Table string    `json:"table"`
	Tags  *k6x.Tags `json:"tags"`
}

func (t *task) record() (key, table string) {
	key = read(&t.args, "the key", k6x.Name)
	var o tableOptions
	t.options(&o)
	t.tags = o.Tags

	return key, o.Table
}

func (l *layout) get(t *task) {
	key, table := t.record()
	find := func(ctx context.Context, store *kvlayout.Store, r *record) (*kvlayout.Record, error) {
		found, err := store.Get(ctx, table, key)
		if err == nil {
			r.received.add(found.Value)
		}

		return &found, err
	}
	lookUp(l.perConnection, t, find, func(found *kvlayout.Record) (sobek.Value, error) {
		return lazily(l.client.module, found, recordProperties), nil
	})
}

var recordProperties = []property[*kvlayout.Record]{ //nolint:gochecknoglobals // a table
	{"table", func(r *kvlayout.Record) any { return r.Table }},
	{"key", func(r *kvlayout.Record) any { return r.Key }},
	{"value", func(r *kvlayout.Record) any { return string(r.Value) }},
	{"raw", func(r *kvlayout.Record) any { return r.Value }},
	{"metadata", func(r *kvlayout.Record) any {
		if r.Metadata == nil {
			return sobek.Null()
		}

		return r.Metadata
	}},
}

func (l *layout) remove(t *task) {
	key, table := t.record()
	l.use(t, func(ctx context.Context, store *kvlayout.Store, _ *record) error {
		return store.Delete(ctx, table, key)
	})
}

type layoutListOptions struct {
	kvlayout.ListOptions

	Tags *k6x.Tags `json:"tags"`
}

func (l *layout) list(t *task) {
	var o layoutListOptions
	t.options(&o)
	t.tags = o.Tags
	var keys []string
	l.use(t, func(ctx context.Context, store *kvlayout.Store, r *record) (err error) {
		keys, err = store.List(ctx, o.ListOptions)
		r.received.messages = len(keys)

		return err
	})
	t.value = func() (sobek.Value, error) { return l.client.stringArray(keys), nil }
}

func (l *layout) drop(t *task) {
	l.use(t, func(ctx context.Context, store *kvlayout.Store, _ *record) error { return store.Drop(ctx) })
	t.value = func() (sobek.Value, error) {
		l.store.forget()

		return sobek.Undefined(), nil
	}
}

// layoutStore uses the connection of runs if there is one and the bucket allows it, else
// nats.go's.
type layoutStore struct {
	options kvlayout.Options
	over    *runConnection
	// otherwise means that the bucket needs nats.go.
	bucket    *wire.Bucket
	otherwise bool

	// task is reused for operations over nats.go, record for those over the connection of runs.
	task   task
	record record
	direct func(*wire.Conn) error // onBucket
	// A get appends to value, and sets hit if the key exists.
	job        layoutJob
	key, value []byte
	hit        bool
	encoded    []byte

	sent, received uint64
}

type layoutJob int

const (
	jobGet layoutJob = iota
	jobPut
	jobDelete
)

var layoutJobs = [...]struct{ name, operation string }{ //nolint:gochecknoglobals // a table
	jobGet: {"get", "layout.get"}, jobPut: {"put", "layout.put"}, jobDelete: {"delete", "layout.delete"},
}

func newLayoutStore(c *client, o kvlayout.Options, job func(context.Context, *connection, *record) error) *layoutStore {
	o.Database = cmp.Or(o.Database, kvlayout.DefaultDatabase)
	s := &layoutStore{
		options: o, over: c.runs(), task: task{args: args{client: c}, brief: true, timeout: c.config.timeout, job: job},
	}
	s.direct = s.onBucket

	return s
}

func (s *layoutStore) inRun(run func(sobek.FunctionCall) sobek.Value, call sobek.FunctionCall) sobek.Value {
	s.task.client.MustRun()
	if s.over != nil {
		s.over.begin()
		defer s.over.end()
	}

	return run(call)
}

func (s *layoutStore) do(job layoutJob, key, value []byte) error {
	s.job, s.key, s.value, s.hit = job, key, value, false
	var sent, received uint64
	var err error
	if s.over == nil {
		s.task.operation = layoutJobs[job].operation
		err = s.task.Do(s.task.client.VU().Context(), true)
		sent, received, _ = s.task.counted()
	} else {
		s.record = record{operation: layoutJobs[job].operation, tags: s.task.tags}
		sent, received, err = s.over.operate(&s.record, s.task.timeout, s.direct)
	}
	s.sent, s.received = s.sent+sent, s.received+received

	return err
}

func (s *layoutStore) onBucket(conn *wire.Conn) error {
	err := s.find(conn)
	switch {
	case err != nil:
	case s.otherwise:
		return s.overNatsGo()
	default:
		err = s.overWire(conn)
	}
	if err != nil {
		err = &kvlayout.Error{Op: layoutJobs[s.job].name, Bucket: s.name(), Key: string(s.key), Err: err}
	}

	return err
}

func (s *layoutStore) name() string { return s.options.Layout.Bucket(s.options.Database, "") }

var buckets = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

func (s *layoutStore) find(conn *wire.Conn) error {
	if s.bucket != nil || s.otherwise {
		return nil
	}
	if !buckets.MatchString(s.name()) {
		return kvlayout.ErrName
	}
	facing, err := conn.LookUp(s.name(), s.task.timeout)
	if err == nil && facing == wire.Missing {
		if err = s.make(); err == nil {
			facing, err = conn.LookUp(s.name(), s.task.timeout)
		}
	}
	switch {
	case err != nil:
		return err
	case facing == wire.Direct:
		s.bucket = wire.NewBucket(s.name())
	default:
		s.otherwise = true
	}

	return nil
}

func (s *layoutStore) forget() { s.bucket, s.otherwise = nil, false }

// make creates the bucket: over nats.go's connection or, if there is none, a temporary one.
func (s *layoutStore) make() (err error) {
	c := s.task.client
	ctx, cancel := context.WithTimeout(c.VU().Context(), s.task.timeout)
	defer cancel()
	conn, opened := c.connected(), record{operation: opConnect}
	temporary := conn == nil
	s.over.seat.Away(func() {
		if temporary {
			begin := clock.Now()
			conn, err = c.dial(ctx)
			opened.err, opened.took = err, clock.Since(begin)
			if err != nil {
				return
			}
			defer conn.close()
		}
		var js jetstream.JetStream
		var store *kvlayout.Store
		if js, err = jetstream.New(conn.nc); err == nil {
			store, err = kvlayout.Open(ctx, js, s.options)
		}
		if err == nil {
			err = store.Make(ctx, "")
		}
	})
	if temporary {
		c.note(&opened, nil)
	}
	if conn != nil {
		s.claim(conn)
	}

	return err
}

func (s *layoutStore) claim(conn *connection) {
	sent, received := conn.claim(s.task.client.module)
	s.sent, s.received = s.sent+sent, s.received+received
}

func (s *layoutStore) overNatsGo() (err error) {
	t := &s.task
	c := t.client
	t.operation = layoutJobs[s.job].operation
	s.over.seat.Away(func() { err = t.Do(c.VU().Context(), true) })
	for i := range t.recorded {
		if r := &t.recorded[i]; r.operation == opConnect {
			c.note(r, nil)
		} else {
			s.record.sent, s.record.received = r.sent, r.received
		}
	}
	if t.conn != nil {
		s.claim(t.conn)
	}

	return err
}

// Get implements workload.Store.
func (s *layoutStore) Get(key, buf []byte) (value []byte, hit bool, err error) {
	err = s.do(jobGet, key, buf)
	if err != nil || !s.hit {
		return nil, false, err
	}

	return s.value, true, nil
}

// Set implements workload.Store. Buckets have no time to live per key.
func (s *layoutStore) Set(key, value []byte, _ int) error { return s.do(jobPut, key, value) }

// Delete implements workload.Store.
func (s *layoutStore) Delete(key []byte) error { return s.do(jobDelete, key, nil) }

func (s *layoutStore) overStore(ctx context.Context, store *kvlayout.Store, r *record) error {
	switch s.job {
	case jobGet:
		found, err := store.Get(ctx, "", string(s.key))
		if errors.Is(err, kvlayout.ErrNotFound) {
			return nil
		}

		return s.got(found.Value, r, err)
	case jobPut:
		return s.stored(r, store.Put(ctx, kvlayout.Record{Key: string(s.key), Value: s.value}))
	case jobDelete:
	}

	return store.Delete(ctx, "", string(s.key))
}

func (s *layoutStore) overWire(conn *wire.Conn) error {
	layout, timeout := s.options.Layout, s.task.timeout
	s.encoded = layout.AppendKey(s.encoded[:0], s.key)
	value := s.value
	switch s.job {
	case jobGet:
		value, found, err := conn.Get(s.bucket, s.encoded, timeout)
		if err != nil || !found {
			return err
		}
		if layout != kvlayout.Orb {
			var record kvlayout.Record
			record, err = layout.DecodeValue("", string(s.key), value)
			value = record.Value
		}

		return s.got(value, &s.record, err)
	case jobPut:
		if layout != kvlayout.Orb {
			var err error
			if value, err = layout.EncodeValue(kvlayout.Record{Key: string(s.key), Value: value}); err != nil {
				return err
			}
		}

		return s.stored(&s.record, s.retried(func() error { return conn.Put(s.bucket, s.encoded, value, timeout) }))
	case jobDelete:
	}
	remove := conn.Delete
	if layout.Purges() {
		remove = conn.Purge
	}

	return s.retried(func() error { return remove(s.bucket, s.encoded, timeout) })
}

func (s *layoutStore) got(value []byte, r *record, err error) error {
	if err == nil {
		s.hit = true
		s.value = append(s.value, value...)
		r.received.add(value)
	}

	return err
}

func (s *layoutStore) stored(r *record, err error) error {
	if err == nil {
		r.sent.add(s.value)
	}

	return err
}

// retried tries again if no stream answers, as while a cluster elects a leader; nats.go does
// the same.
func (s *layoutStore) retried(store func() error) error {
	err := store()
	for range jetstream.DefaultPubRetryAttempts {
		ctx := s.over.ctx
		if !wire.IsKind(err, wire.KindNoResponders) || ctx.Err() != nil {
			break
		}
		s.over.seat.Away(func() {
			select {
			case <-ctx.Done():
			case <-time.After(jetstream.DefaultPubRetryWait):
			}
		})
		err = store()
	}

	return err
}

// Traffic implements workload.Cache.
func (s *layoutStore) Traffic() (received, sent uint64) {
	received, sent = s.received, s.sent
	s.received, s.sent = 0, 0

	return received, sent
}

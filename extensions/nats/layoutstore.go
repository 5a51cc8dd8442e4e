package nats

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"regexp"
	"time"

	"github.com/grafana/sobek"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

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
	direct func(*wire.Conn) error
	// A job that reads appends to value, and sets hit if the key exists.
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

var layoutJobs = [...]struct { //nolint:gochecknoglobals // a table
	name, operation string
	direct          func(s *layoutStore, conn *wire.Conn) error
	do              func(s *layoutStore, ctx context.Context, store *kvlayout.Store, r *record) error
}{
	jobGet:    {"get", "layout.get", (*layoutStore).getDirect, (*layoutStore).get},
	jobPut:    {"put", "layout.put", (*layoutStore).putDirect, (*layoutStore).put},
	jobDelete: {"delete", "layout.delete", (*layoutStore).removeDirect, (*layoutStore).remove},
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
		s.encoded = s.options.Layout.AppendKey(s.encoded[:0], s.key)
		err = layoutJobs[s.job].direct(s, conn)
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

func (s *layoutStore) make() (err error) {
	c := s.task.client
	ctx, cancel := context.WithTimeout(c.VU().Context(), s.task.timeout)
	defer cancel()
	conn, opened := c.connected(), record{operation: opConnect}
	closes := conn == nil
	s.over.seat.Away(func() {
		if closes {
			begin := clock.Now()
			conn, err = openConnection(ctx, c.config, k6x.Dial(c.VU()), c.config.secrets.Config(c.VU(), "", tls.VersionTLS12))
			opened.err, opened.took = err, clock.Since(begin)
			if err != nil {
				return
			}
			defer conn.close()
		}
		err = s.makeOver(ctx, conn)
	})
	if closes {
		c.note(&opened, nil)
	}
	if conn != nil {
		sent, received := conn.claim(c.module)
		s.sent, s.received = s.sent+sent, s.received+received
	}

	return err
}

func (s *layoutStore) makeOver(ctx context.Context, conn *connection) error {
	js, err := jetstream.New(conn.nc)
	if err != nil {
		return err
	}
	store, err := kvlayout.Open(ctx, js, s.options)
	if err != nil {
		return err
	}

	return store.Make(ctx, "")
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
		sent, received := t.conn.claim(c.module)
		s.sent, s.received = s.sent+sent, s.received+received
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

func (s *layoutStore) get(ctx context.Context, store *kvlayout.Store, r *record) error {
	record, err := store.Get(ctx, "", string(s.key))
	if errors.Is(err, kvlayout.ErrNotFound) {
		return nil
	}
	if err == nil {
		s.got(record.Value, r)
	}

	return err
}

func (s *layoutStore) getDirect(conn *wire.Conn) error {
	value, found, err := conn.Get(s.bucket, s.encoded, s.task.timeout)
	if err != nil || !found {
		return err
	}
	if s.options.Layout != kvlayout.Orb {
		record, err := s.options.Layout.DecodeValue("", string(s.key), value)
		if err != nil {
			return err
		}
		value = record.Value
	}
	s.got(value, &s.record)

	return nil
}

func (s *layoutStore) got(value []byte, r *record) {
	s.hit = true
	s.value = append(s.value, value...)
	r.received.add(value)
}

// Set implements workload.Store. Buckets have no time to live per key.
func (s *layoutStore) Set(key, value []byte, _ int) error { return s.do(jobPut, key, value) }

func (s *layoutStore) put(ctx context.Context, store *kvlayout.Store, r *record) error {
	err := store.Put(ctx, kvlayout.Record{Key: string(s.key), Value: s.value})
	if err == nil {
		r.sent.add(s.value)
	}

	return err
}

func (s *layoutStore) putDirect(conn *wire.Conn) error {
	value := s.value
	if s.options.Layout != kvlayout.Orb {
		var err error
		if value, err = s.options.Layout.EncodeValue(kvlayout.Record{Key: string(s.key), Value: value}); err != nil {
			return err
		}
	}
	err := s.retried(func() error { return conn.Put(s.bucket, s.encoded, value, s.task.timeout) })
	if err == nil {
		s.record.sent.add(s.value)
	}

	return err
}

// Delete implements workload.Store.
func (s *layoutStore) Delete(key []byte) error { return s.do(jobDelete, key, nil) }

func (s *layoutStore) remove(ctx context.Context, store *kvlayout.Store, _ *record) error {
	return store.Delete(ctx, "", string(s.key))
}

func (s *layoutStore) removeDirect(conn *wire.Conn) error {
	remove := conn.Delete
	if s.options.Layout.Purges() {
		remove = conn.Purge
	}

	return s.retried(func() error { return remove(s.bucket, s.encoded, s.task.timeout) })
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

package kvlayout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Record is a record of a Store.
type Record struct {
	// Table may be "".
	Table string
	Key   string
	Value []byte
	// Metadata is stored by Micro only. Numbers are read as float64.
	Metadata map[string]any
}

// Options are options of a Store.
type Options struct {
	Layout Layout
	// Database defaults to DefaultDatabase.
	Database string
	// Replicas of new buckets. Default: 1, which the libraries always use.
	Replicas int
}

const deadline = 30 * time.Second

// Store reads and writes the records of one database. It is safe for concurrent use. Operations
// return an *Error. An operation whose context has no deadline ends after 30 s.
type Store struct {
	js      jetstream.JetStream
	options Options

	mu      sync.Mutex
	buckets map[string]jetstream.KeyValue // buckets by name
}

// Open returns the Store of a database. In the layout Micro it creates the database's bucket.
func Open(ctx context.Context, js jetstream.JetStream, options Options) (*Store, error) {
	layout, err := ParseLayout(string(options.Layout))
	if err != nil {
		return nil, err
	}
	if options.Database == "" {
		options.Database = DefaultDatabase
	}
	store := &Store{js: js, options: options, buckets: map[string]jetstream.KeyValue{}}
	if layout != Micro {
		return store, nil
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	_, err = store.open(ctx, options.Database)

	return store, wrap("open", options.Database, "", err)
}

// Make creates the bucket of a table if it is missing. The table may be "".
func (s *Store) Make(ctx context.Context, table string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	name := s.options.Layout.Bucket(s.options.Database, table)
	_, err := s.open(ctx, name)

	return wrap("open", name, "", err)
}

// Put writes a record. It overwrites an existing one.
func (s *Store) Put(ctx context.Context, record Record) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	at, err := s.place(ctx, record.Table, record.Key)
	if err == nil {
		err = s.put(ctx, at, record)
	}

	return at.wrap("put", err)
}

func (s *Store) put(ctx context.Context, at place, record Record) error {
	value, err := s.options.Layout.EncodeValue(record)
	if err != nil {
		return err
	}
	_, err = at.bucket.Put(ctx, at.encoded, value)

	return err
}

// Get reads a record. The error is ErrNotFound if it does not exist, and ErrValue if its value does
// not fit the layout.
func (s *Store) Get(ctx context.Context, table, key string) (Record, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var record Record
	at, err := s.place(ctx, table, key)
	if err == nil {
		record, err = s.get(ctx, at, table)
	}

	return record, at.wrap("get", err)
}

func (s *Store) get(ctx context.Context, at place, table string) (Record, error) {
	entry, err := at.bucket.Get(ctx, at.encoded)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return Record{}, ErrNotFound
	}
	if err != nil {
		return Record{}, err
	}

	return s.options.Layout.DecodeValue(table, at.key, entry.Value())
}

// Delete removes a record. A missing record is not an error.
func (s *Store) Delete(ctx context.Context, table, key string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	at, err := s.place(ctx, table, key)
	switch {
	case err != nil:
	case s.options.Layout.Purges():
		err = at.bucket.Purge(ctx, at.encoded)
	case table == "DELETE_BUCKET":
		err = fmt.Errorf("%w: to go-micro, table DELETE_BUCKET means to delete a bucket", ErrName)
	default:
		err = at.bucket.Delete(ctx, at.encoded)
	}

	return at.wrap("delete", err)
}

type place struct {
	bucket       jetstream.KeyValue
	name         string // name of the bucket
	key, encoded string
}

// place returns the names even with an error.
func (s *Store) place(ctx context.Context, table, key string) (at place, err error) {
	at = place{name: s.options.Layout.Bucket(s.options.Database, table), key: key}
	if key == "" {
		return at, ErrKey
	}
	if at.bucket, err = s.open(ctx, at.name); err == nil {
		at.encoded = s.options.Layout.encode(table, key)
	}

	return at, err
}

func (p *place) wrap(op string, err error) error { return wrap(op, p.name, p.key, err) }

func (s *Store) open(ctx context.Context, name string) (jetstream.KeyValue, error) {
	if bucket := s.known(name); bucket != nil {
		return bucket, nil
	}
	bucket, err := s.js.KeyValue(ctx, name)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		bucket, err = s.create(ctx, name)
	}
	if errors.Is(err, jetstream.ErrInvalidBucketName) {
		return nil, ErrName
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.buckets[name] = bucket
	s.mu.Unlock()

	return bucket, nil
}

func (s *Store) known(name string) jetstream.KeyValue {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.buckets[name]
}

func (s *Store) forget(name string) {
	s.mu.Lock()
	delete(s.buckets, name)
	s.mu.Unlock()
}

func (s *Store) create(ctx context.Context, name string) (jetstream.KeyValue, error) {
	for try := 1; ; try++ {
		bucket, err := s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket:      name,
			Description: s.options.Layout.description(),
			Replicas:    s.options.Replicas,
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			return s.js.KeyValue(ctx, name)
		}
		if try == tries || !isStoreFailure(err) {
			return bucket, err
		}
		time.Sleep(pause)
	}
}

// nats-server 2.15.2 (stream.stop) removes the folder of streams a moment after its last stream is
// deleted, perhaps while a new stream is created. That creation fails, and the next attempt creates
// the folder.
const (
	tries = 3
	pause = 10 * time.Millisecond
	// streamCreateError is JSStreamCreateErrF in the server's errors.json.
	streamCreateError = 10049
)

func isStoreFailure(err error) bool {
	var failure *jetstream.APIError

	return errors.As(err, &failure) && failure.ErrorCode == streamCreateError
}

func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}

	return context.WithTimeout(ctx, deadline)
}

func wrap(op, bucket, key string, err error) error {
	if err == nil {
		return nil
	}

	return &Error{op, bucket, key, err}
}

package kvlayout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/recent"
)

// Record is what a Store keeps under a key.
type Record struct {
	// Table is "" for none.
	Table string
	Key   string
	Value []byte
	// Metadata is kept by Micro only. Numbers come back as float64.
	Metadata map[string]any
}

// Options of a Store.
type Options struct {
	Layout Layout
	// Database is DefaultDatabase when it is "".
	Database string
	// Replicas of the buckets that the Store makes, 1 when it is 0. The libraries always make one.
	Replicas int
}

// deadline of an operation whose context has none.
const deadline = 30 * time.Second

// Store keeps the records of one database. It may be used by several goroutines at once. Its
// operations return an *Error. One whose context has no deadline ends after 30 s.
type Store struct {
	js      jetstream.JetStream
	options Options

	mu      sync.Mutex
	buckets recent.Map[string, jetstream.KeyValue] // by name
}

// Open returns the Store of a database. In the layout Micro the database's bucket is there
// afterwards.
func Open(ctx context.Context, js jetstream.JetStream, options Options) (*Store, error) {
	layout, err := ParseLayout(string(options.Layout))
	if err != nil {
		return nil, err
	}
	if options.Database == "" {
		options.Database = DefaultDatabase
	}
	store := &Store{js: js, options: options}
	if layout != Micro {
		return store, nil
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	_, err = store.open(ctx, options.Database)

	return store, wrap("open", options.Database, "", err)
}

// Make makes the bucket of a table, "" for none, where it is missing.
func (s *Store) Make(ctx context.Context, table string) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	name := s.options.Layout.Bucket(s.options.Database, table)
	_, err := s.open(ctx, name)

	return wrap("open", name, "", err)
}

// Put writes a record over any that is there.
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

// Get reads a record. Where there is none the error is ErrNotFound, and where its value is not of
// this layout, ErrValue.
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

// Delete removes a record. It is no error when there is none.
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

// place is where a record is.
type place struct {
	bucket       jetstream.KeyValue
	name         string // the bucket's
	key, encoded string
}

// place returns where the record of this key is. When it returns an error, the place has the names
// for it.
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

// open returns the bucket of this name, and makes it where it is missing.
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
	s.buckets.Put(name, bucket)
	s.mu.Unlock()

	return bucket, nil
}

// known returns the bucket of this name that was opened before, or nil.
func (s *Store) known(name string) jetstream.KeyValue {
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket, _ := s.buckets.Get(name)

	return bucket
}

// forget forgets the bucket of this name, if it is known.
func (s *Store) forget(name string) {
	s.mu.Lock()
	s.buckets.Delete(name)
	s.mu.Unlock()
}

// create makes a bucket with the settings of both libraries, which differ in the description only.
func (s *Store) create(ctx context.Context, name string) (jetstream.KeyValue, error) {
	for try := 1; ; try++ {
		bucket, err := s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket:      name,
			Description: s.options.Layout.description(),
			Replicas:    s.options.Replicas,
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // another client was faster, and has other settings
			return s.js.KeyValue(ctx, name)
		}
		if try == tries || !isStoreFailure(err) {
			return bucket, err
		}
		time.Sleep(pause)
	}
}

// When its last stream is deleted, nats-server (2.15.2, stream.stop) removes the empty folder of
// streams a moment later, and so may take it from under a stream that is being made: that fails,
// and the next try makes the folder anew.
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

package kvlayout

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
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
	// Database is both libraries' "default" when it is "".
	Database string
	// Replicas of the buckets that the Store makes, 1 when it is 0. The libraries always make one.
	Replicas int
}

// deadline of an operation whose context has none.
const deadline = 30 * time.Second

// Store keeps the records of one database. It may be used by several goroutines at once. Its operations return an *Error. One whose context
// has no deadline ends after 30 s.
type Store struct {
	js      jetstream.JetStream
	options Options
	buckets sync.Map // name to jetstream.KeyValue
}

// Open returns the Store of a database. In the layout Micro the database's bucket is there afterwards.
func Open(ctx context.Context, js jetstream.JetStream, options Options) (*Store, error) {
	layout, err := ParseLayout(string(options.Layout))
	if err != nil {
		return nil, err
	}
	if options.Database == "" {
		options.Database = "default"
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

// Put writes a record over any that is there.
func (s *Store) Put(ctx context.Context, record Record) error {
	return s.do(ctx, "put", record.Table, record.Key, func(ctx context.Context, bucket jetstream.KeyValue, key string) error {
		value, err := s.options.Layout.encodeValue(record)
		if err != nil {
			return err
		}
		_, err = bucket.Put(ctx, key, value)

		return err
	})
}

// Get reads a record. Where there is none the error is ErrNotFound, and where its value is not of this layout, ErrValue.
func (s *Store) Get(ctx context.Context, table, key string) (Record, error) {
	var record Record
	err := s.do(ctx, "get", table, key, func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error {
		entry, err := bucket.Get(ctx, encoded)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return ErrNotFound
		}
		if err != nil {
			return err
		}
		record, err = s.options.Layout.decodeValue(table, key, entry.Value())

		return err
	})

	return record, err
}

// Delete removes a record. It is no error when there is none.
func (s *Store) Delete(ctx context.Context, table, key string) error {
	return s.do(ctx, "delete", table, key, func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error {
		if s.options.Layout != Micro {
			return bucket.Purge(ctx, encoded)
		}
		if table == "DELETE_BUCKET" {
			return fmt.Errorf("%w: to go-micro, table DELETE_BUCKET means to delete a bucket", ErrName)
		}

		return bucket.Delete(ctx, encoded)
	})
}

// do calls work with the bucket and the encoded key of a record.
func (s *Store) do(ctx context.Context, op, table, key string, work func(context.Context, jetstream.KeyValue, string) error) error {
	name := s.options.Layout.bucket(s.options.Database, table)
	if key == "" {
		return wrap(op, name, "", ErrKey)
	}
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	bucket, err := s.open(ctx, name)
	if err == nil {
		err = work(ctx, bucket, s.options.Layout.encode(table, key))
	}

	return wrap(op, name, key, err)
}

// open returns the bucket of this name, and makes it where it is missing.
func (s *Store) open(ctx context.Context, name string) (jetstream.KeyValue, error) {
	if bucket, ok := s.buckets.Load(name); ok {
		return bucket.(jetstream.KeyValue), nil //nolint:forcetypeassert // it holds nothing else
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
	s.buckets.Store(name, bucket)

	return bucket, nil
}

// create makes a bucket with the settings of both libraries, which differ in the description only.
func (s *Store) create(ctx context.Context, name string) (jetstream.KeyValue, error) {
	bucket, err := s.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:      name,
		Description: s.options.Layout.description(),
		Replicas:    s.options.Replicas,
	})
	if errors.Is(err, jetstream.ErrBucketExists) { // another client was faster, and has other settings
		return s.js.KeyValue(ctx, name)
	}

	return bucket, err
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

package kvlayout

import (
	"context"
	"errors"
	"fmt"
	"strings"
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

// Drop deletes the database with all its records: its bucket and, in the layout Orb, the buckets of
// all tables. There, Drop of database d also deletes the bucket of database d_t, because table t
// has the same bucket name. The Store creates buckets again when it needs them; other Stores of the
// database fail.
func (s *Store) Drop(ctx context.Context) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	lister := s.js.KeyValueStoreNames(ctx)
	var names []string
	for name := range lister.Name() {
		if name == s.options.Database || s.options.Layout == Orb && strings.HasPrefix(name, s.options.Database+"_") {
			names = append(names, name)
		}
	}
	if err := lister.Error(); err != nil {
		return wrap("drop", s.options.Database, "", err)
	}
	for _, name := range names {
		s.forget(name)
		if err := s.empty(ctx, name); err != nil {
			return wrap("drop", name, "", err)
		}
		if err := s.js.DeleteKeyValue(ctx, name); err != nil {
			return wrap("drop", name, "", err)
		}
	}

	return nil
}

// empty purges a bucket. nats-server 2.15.2 deletes a stream's files a moment later, and a new
// stream of the same name might find records in them.
func (s *Store) empty(ctx context.Context, bucket string) error {
	stream, err := s.js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return err
	}

	return stream.Purge(ctx)
}

// Errors that an Error may wrap, besides the errors of nats.go and of contexts.
var (
	ErrNotFound   = errors.New("there is no such key")
	ErrEmpty      = errors.New("the bucket has no keys")
	ErrIncomplete = errors.New("the connection broke before all keys had arrived")
	ErrKey        = errors.New("a key must not be empty")
	ErrName       = errors.New("a bucket's name may only have letters, digits, - and _")
	ErrMetadata   = errors.New("metadata that cannot be stored")
	ErrValue      = errors.New("the value does not fit this layout")
)

// Error is the error of a Store's operation.
type Error struct {
	Op     string // put, get, delete, list, open or drop
	Bucket string
	Key    string // not encoded; empty for operations on a bucket
	Err    error
}

// Error names the operation, the record and the reason.
func (e *Error) Error() string {
	if e.Key == "" {
		return fmt.Sprintf("%s bucket %q: %v", e.Op, e.Bucket, e.Err)
	}

	return fmt.Sprintf("%s key %q in bucket %q: %v", e.Op, e.Key, e.Bucket, e.Err)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

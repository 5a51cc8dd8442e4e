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
	Layout Layout `json:"layout"`
	// Database defaults to DefaultDatabase.
	Database string `json:"database"`
	// Replicas of new buckets. Default: 1, which the libraries always use.
	Replicas int `json:"replicas"`
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
	if layout == Micro {
		err = store.Make(ctx, "")
	}

	return store, err
}

// Make creates the bucket of a table if it is missing. The table may be "".
func (s *Store) Make(ctx context.Context, table string) error {
	return s.in(ctx, "open", table, func(context.Context, jetstream.KeyValue) error { return nil })
}

// Put writes a record. It overwrites an existing one.
func (s *Store) Put(ctx context.Context, record Record) error {
	return s.at(ctx, "put", record.Table, record.Key, func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error {
		value, err := s.options.Layout.EncodeValue(record)
		if err == nil {
			_, err = bucket.Put(ctx, encoded, value)
		}

		return err
	})
}

// Get reads a record. The error is ErrNotFound if it does not exist, and ErrValue if its value does
// not fit the layout.
func (s *Store) Get(ctx context.Context, table, key string) (record Record, err error) {
	err = s.at(ctx, "get", table, key, func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error {
		entry, err := bucket.Get(ctx, encoded)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return ErrNotFound
		}
		if err == nil {
			record, err = s.options.Layout.DecodeValue(table, key, entry.Value())
		}

		return err
	})

	return record, err
}

// Delete removes a record. A missing record is not an error.
func (s *Store) Delete(ctx context.Context, table, key string) error {
	return s.at(ctx, "delete", table, key, func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error {
		switch {
		case s.options.Layout.Purges():
			return bucket.Purge(ctx, encoded)
		case table == "DELETE_BUCKET":
			return fmt.Errorf("%w: to go-micro, table DELETE_BUCKET means to delete a bucket", ErrName)
		default:
			return bucket.Delete(ctx, encoded)
		}
	})
}

// at does an operation on a record.
func (s *Store) at(
	ctx context.Context, op, table, key string, do func(ctx context.Context, bucket jetstream.KeyValue, encoded string) error,
) error {
	err := ErrKey
	if key != "" {
		err = s.in(ctx, op, table, func(ctx context.Context, bucket jetstream.KeyValue) error {
			return do(ctx, bucket, s.options.Layout.encode(table, key))
		})
	}
	if failed, is := errors.AsType[*Error](err); is {
		failed.Key = key

		return failed
	}

	return wrap(op, s.options.Layout.Bucket(s.options.Database, table), err)
}

// in does an operation on the bucket of a table.
func (s *Store) in(ctx context.Context, op, table string, do func(ctx context.Context, bucket jetstream.KeyValue) error) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	name := s.options.Layout.Bucket(s.options.Database, table)
	bucket, err := s.open(ctx, name)
	if err == nil {
		err = do(ctx, bucket)
	}

	return wrap(op, name, err)
}

func (s *Store) open(ctx context.Context, name string) (jetstream.KeyValue, error) {
	s.mu.Lock()
	bucket := s.buckets[name]
	s.mu.Unlock()
	if bucket != nil {
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

func wrap(op, bucket string, err error) error {
	if err == nil {
		return nil
	}

	return &Error{Op: op, Bucket: bucket, Err: err}
}

// ListOptions select the keys of List.
type ListOptions struct {
	// Table is "" for records without a table. In Micro, "" lists all tables, and the keys then
	// begin with table_. OrbCompat ignores it.
	Table string `json:"table"`
	// Prefix and Suffix of the keys, without the table. "" matches all.
	Prefix string `json:"prefix"`
	Suffix string `json:"suffix"`
	// Limit is the maximum number of keys (0: all) after the first Offset ones. Orb and OrbCompat
	// also count keys that do not match.
	Limit  uint32 `json:"limit"`
	Offset uint32 `json:"offset"`
}

// List returns the matching keys, not encoded, in the order of their last writes. It transfers all
// keys of the bucket, whatever the options are. A key that is written meanwhile may come twice. The
// error is ErrEmpty for an empty bucket in the layouts that say so, and ErrIncomplete if the
// connection was closed meanwhile.
func (s *Store) List(ctx context.Context, options ListOptions) (keys []string, err error) {
	err = s.in(ctx, "list", options.Table, func(ctx context.Context, bucket jetstream.KeyValue) error {
		all, err := s.allKeys(ctx, bucket)
		switch {
		case err != nil:
			return err
		case s.options.Layout == Micro:
			keys = page(s.filter(all, options), options)
		case len(all) == 0:
			return ErrEmpty
		default:
			keys = s.filter(page(all, options), options)
		}

		return nil
	})

	return keys, err
}

// allKeys returns the encoded keys of a bucket, unsorted as in the nats.go versions of the
// libraries. It returns an error if the context ends; jetstream.KeyValue.Keys would return an
// incomplete list.
func (s *Store) allKeys(ctx context.Context, bucket jetstream.KeyValue) ([]string, error) {
	watcher, err := bucket.WatchAll(ctx, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, err
	}
	keys, err := s.collect(ctx, watcher)
	if err != nil {
		go StopWatcher(watcher) // it may wait for a silent server
	} else {
		StopWatcher(watcher)
	}

	return keys, err
}

func (s *Store) collect(ctx context.Context, watcher jetstream.KeyWatcher) ([]string, error) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	keys := []string{}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-look.C: // a watcher that was half made when the connection ended sends no end mark
			if s.js.Conn().IsClosed() {
				return nil, ErrIncomplete
			}
		case entry, open := <-watcher.Updates():
			switch {
			case entry != nil:
				keys = append(keys, entry.Key())
			case open:
				return keys, nil
			case ctx.Err() != nil:
				return nil, ctx.Err()
			default:
				return nil, ErrIncomplete
			}
		}
	}
}

// StopWatcher stops a watcher. It discards entries meanwhile, since Stop needs a lock that the
// watcher holds while it delivers one.
func StopWatcher(watcher jetstream.KeyWatcher) {
	go func() {
		for {
			select {
			case _, open := <-watcher.Updates():
				if !open {
					return
				}
			case <-time.After(time.Second):
				return
			}
		}
	}()
	_ = watcher.Stop()
}

func (s *Store) filter(encoded []string, options ListOptions) []string {
	keys := encoded[:0]
	for _, each := range encoded {
		key, ok := s.options.Layout.decode(options.Table, each)
		if ok && strings.HasPrefix(key, options.Prefix) && strings.HasSuffix(key, options.Suffix) {
			keys = append(keys, key)
		}
	}

	return keys
}

func page(keys []string, options ListOptions) []string {
	keys = keys[min(int(options.Offset), len(keys)):]
	if options.Limit == 0 {
		return keys
	}

	return keys[:min(int(options.Limit), len(keys))]
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
		return wrap("drop", s.options.Database, err)
	}
	for _, name := range names {
		s.mu.Lock()
		delete(s.buckets, name)
		s.mu.Unlock()
		err := s.empty(ctx, name)
		if err == nil {
			err = s.js.DeleteKeyValue(ctx, name)
		}
		if err != nil {
			return wrap("drop", name, err)
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

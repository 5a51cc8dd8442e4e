package kvlayout

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// ListOptions select the keys of List.
type ListOptions struct {
	// Table is "" for records without a table. In Micro, "" lists all tables, and the keys then
	// begin with table_. OrbCompat ignores it.
	Table string
	// Prefix and Suffix of the keys, without the table. "" matches all.
	Prefix, Suffix string
	// Limit is the maximum number of keys (0: all) after the first Offset ones. Orb and OrbCompat
	// also count keys that do not match.
	Limit, Offset uint
}

// List returns the matching keys, not encoded, in the order of their last writes. It transfers all
// keys of the bucket, whatever the options are. A key that is written meanwhile may come twice. The
// error is ErrEmpty for an empty bucket in the layouts that say so, and ErrIncomplete if the
// connection was closed meanwhile.
func (s *Store) List(ctx context.Context, options ListOptions) ([]string, error) {
	name := s.options.Layout.Bucket(s.options.Database, options.Table)
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	keys, err := s.list(ctx, name, options)

	return keys, wrap("list", name, "", err)
}

func (s *Store) list(ctx context.Context, name string, options ListOptions) ([]string, error) {
	bucket, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	keys, err := s.allKeys(ctx, bucket)
	if err != nil {
		return nil, err
	}
	if s.options.Layout == Micro {
		return page(s.filter(keys, options), options), nil
	}
	if len(keys) == 0 {
		return nil, ErrEmpty
	}

	return s.filter(page(keys, options), options), nil
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
		crash.Go("the end of a watcher", func() { StopWatcher(watcher) }) // it may wait for a silent server
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
	crash.Go("the end of a watcher", func() {
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
	})
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
	keys = keys[min(options.Offset, uint(len(keys))):]
	if options.Limit == 0 {
		return keys
	}

	return keys[:min(options.Limit, uint(len(keys)))]
}

package kvlayout

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// ListOptions say which keys List returns.
type ListOptions struct {
	// Table is "" for the records without a table; in Micro, for those of all tables, whose keys
	// then begin with table_. In OrbCompat it does nothing.
	Table string
	// Prefix and Suffix of the keys, without the table; "" for any.
	Prefix, Suffix string
	// Limit is the largest number of keys that are returned, 0 for all, after the first Offset
	// ones. Orb and OrbCompat count those that do not match, too.
	Limit, Offset uint
}

// List returns the keys of the records that match, not encoded, in the order in which they were
// last written. All keys of the bucket cross the network, whatever the options. A key that is
// written meanwhile may come twice. The error is ErrEmpty where the layout calls an empty bucket
// one, and ErrIncomplete when the connection was closed meanwhile.
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

// allKeys returns the encoded keys of a bucket. Keys of jetstream.KeyValue would sort them, which
// the versions of nats.go that the libraries pin do not, and when the context ends it would return
// those that have come so far.
func (s *Store) allKeys(ctx context.Context, bucket jetstream.KeyValue) ([]string, error) {
	watcher, err := bucket.WatchAll(ctx, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, err
	}
	keys, err := s.collect(ctx, watcher)
	if err != nil {
		crash.Go("the end of a watcher", func() { end(watcher) }) // it waits for a server that may be silent

		return nil, err
	}
	end(watcher) // the libraries' lists, too, are done when this is

	return keys, nil
}

// collect returns the keys up to the watcher's mark that all have come.
func (s *Store) collect(ctx context.Context, watcher jetstream.KeyWatcher) ([]string, error) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	keys := []string{}
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-look.C: // a watcher that the end of the connection finds half made does not say so
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

// end stops a watcher, and takes what it still hands over, or it would wait for ever for somebody
// to take it.
func end(watcher jetstream.KeyWatcher) {
	_ = watcher.Stop() // where it fails, the connection is closed, and the watcher with it
	for {
		select {
		case _, open := <-watcher.Updates():
			if !open {
				return
			}
		case <-time.After(time.Second): // one that was half made has no end
			return
		}
	}
}

// filter returns the decoded keys that match, in the memory of the encoded ones.
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

// page returns the keys after the first Offset ones, Limit at most.
func page(keys []string, options ListOptions) []string {
	keys = keys[min(options.Offset, uint(len(keys))):]
	if options.Limit == 0 {
		return keys
	}

	return keys[:min(options.Limit, uint(len(keys)))]
}

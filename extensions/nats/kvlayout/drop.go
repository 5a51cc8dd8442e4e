package kvlayout

import (
	"context"
	"strings"
)

// Drop deletes the database with all its records: its bucket and, in the layout Orb, those of all
// tables. There the bucket of database d_t goes with database d, as it cannot be told from that of
// a table t. The Store makes buckets anew where it needs them; other Stores that have used them
// fail.
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

// empty purges a bucket. nats-server (2.15.2) removes the files of a deleted stream a moment later:
// a stream of the same name that is made meanwhile may find records in them.
func (s *Store) empty(ctx context.Context, bucket string) error {
	stream, err := s.js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return err
	}

	return stream.Purge(ctx)
}

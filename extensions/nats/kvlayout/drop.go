package kvlayout

import (
	"context"
	"strings"
)

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

package kvlayout_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nuid"
	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

const tables, keys = 3, 205

func openRow(t *testing.T, row kvlayout.Row) (*kvlayout.Run, *kvlayout.Store) {
	t.Helper()
	js := connect(t, serverURL(t))
	database := "rows-" + nuid.Next()
	run, err := row.Open(t.Context(), js, kvlayout.RunOptions{Database: database, Tables: tables, Keys: keys})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, run.Drop(context.Background())) })
	store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: row.Layout, Database: database})
	require.NoError(t, err)

	return run, store
}

func rowsWithPairs() []kvlayout.Row { return append(kvlayout.Rows(), kvlayout.LikeForLike()...) }

func TestRowsAreThePublishedOnes(t *testing.T) {
	const published = `OrbSet 26001 46239 ns/op 2786 B/op 56 allocs/op
MicroWrite 25856 45857 ns/op 2900 B/op 57 allocs/op
OrbSetGet 12591 93330 ns/op 7084 B/op 130 allocs/op
MicroWriteRead 12084 96749 ns/op 8358 B/op 140 allocs/op
OrbGet 28144 42355 ns/op 3721 B/op 68 allocs/op
MicroRead 26840 44827 ns/op 4310 B/op 76 allocs/op
OrbList 410 2620050 ns/op 2418802 B/op 27796 allocs/op
MicroList 6 194777617 ns/op 231174128 B/op 2910016 allocs/op
OrbListPagination 421 2460378 ns/op 2344519 B/op 25997 allocs/op
MicroListPagination 482 2471308 ns/op 2371703 B/op 28785 allocs/op
OrbSetLarge 1200 919767 ns/op 2113711 B/op 67 allocs/op
MicroWriteLarge 530 2139809 ns/op 5312348 B/op 76 allocs/op
OrbGetLarge 2284 487448 ns/op 3190474 B/op 81 allocs/op
MicroReadLarge 183 6572089 ns/op 5315176 B/op 96 allocs/op
OrbSetGetLarge 750 1444972 ns/op 6979392 B/op 149 allocs/op
MicroWriteReadLarge 134 8717133 ns/op 12316065 B/op 175 allocs/op
OrbDeleteLarge 939 1168799 ns/op 4837791 B/op 132 allocs/op
MicroDeleteLarge 453 2387964 ns/op 8422971 B/op 122 allocs/op
`
	var text strings.Builder
	pairs := map[string][]kvlayout.Layout{}
	for _, row := range kvlayout.Rows() {
		p := *row.Published
		fmt.Fprintf(&text, "%s %d %d ns/op %d B/op %d allocs/op\n", row.Name, p.Iterations, p.Nanoseconds, p.Bytes, p.Allocations)
		pairs[row.Pair] = append(pairs[row.Pair], row.Layout)
	}
	require.Equal(t, published, text.String())
	require.Len(t, pairs, 9)
	for pair, layouts := range pairs {
		require.Equal(t, []kvlayout.Layout{kvlayout.Orb, kvlayout.Micro}, layouts, pair)
	}
	for _, row := range kvlayout.LikeForLike() {
		require.Contains(t, pairs, row.Pair)
		require.Equal(t, kvlayout.Micro, row.Layout)
	}
}

func TestAnIterationOfEachRow(t *testing.T) {
	wants := map[string]struct {
		keys     int
		sent     [2]uint64
		received [2]uint64
	}{
		"OrbSet":                   {0, [2]uint64{7, 100}, [2]uint64{30, 200}},
		"MicroWrite":               {0, [2]uint64{50, 150}, [2]uint64{30, 200}},
		"OrbSetGet":                {0, [2]uint64{7, 100}, [2]uint64{100, 500}},
		"MicroWriteRead":           {0, [2]uint64{50, 150}, [2]uint64{150, 500}},
		"OrbGet":                   {0, [2]uint64{0, 10}, [2]uint64{100, 400}},
		"MicroRead":                {0, [2]uint64{0, 10}, [2]uint64{150, 400}},
		"OrbList":                  {keys, [2]uint64{100, 2000}, [2]uint64{keys * 30, keys * 100}},
		"MicroList":                {tables * keys, [2]uint64{100, 2000}, [2]uint64{tables * keys * 30, tables * keys * 100}},
		"MicroListTable":           {keys, [2]uint64{100, 2000}, [2]uint64{tables * keys * 30, tables * keys * 100}},
		"OrbListPagination":        {100, [2]uint64{100, 2000}, [2]uint64{keys * 30, keys * 100}},
		"MicroListPagination":      {100, [2]uint64{100, 2000}, [2]uint64{keys * 30, keys * 100}},
		"MicroListPaginationTable": {100, [2]uint64{100, 2000}, [2]uint64{tables * keys * 30, tables * keys * 100}},
		"OrbSetLarge":              {0, [2]uint64{1 << 20, 1<<20 + 100}, [2]uint64{30, 200}},
		"MicroWriteLarge":          {0, [2]uint64{1398104, 1398300}, [2]uint64{30, 200}},
		"OrbGetLarge":              {0, [2]uint64{0, 10}, [2]uint64{1 << 20, 1<<20 + 400}},
		"MicroReadLarge":           {0, [2]uint64{0, 10}, [2]uint64{1398104, 1398500}},
		"OrbSetGetLarge":           {0, [2]uint64{1 << 20, 1<<20 + 100}, [2]uint64{1 << 20, 1<<20 + 500}},
		"MicroWriteReadLarge":      {0, [2]uint64{1398104, 1398300}, [2]uint64{1398104, 1398700}},
		"OrbDeleteLarge":           {0, [2]uint64{1<<20 + 40, 1<<20 + 200}, [2]uint64{60, 400}},
		"MicroDeleteLarge":         {0, [2]uint64{1398104, 1398400}, [2]uint64{60, 400}},
	}
	require.Len(t, wants, 20)
	for _, row := range rowsWithPairs() {
		t.Run(row.Name, func(t *testing.T) {
			run, _ := openRow(t, row)
			require.NoError(t, run.Fill(t.Context()))
			_, err := run.Do(t.Context(), 0) // opens the bucket
			require.NoError(t, err)
			want := wants[row.Name]
			for i := range uint64(3) {
				work, err := run.Do(t.Context(), 1+i)
				require.NoError(t, err)
				require.Equal(t, want.keys, work.Keys)
				between(t, want.sent, work.Sent)
				between(t, want.received, work.Received)
			}
		})
	}
}

func between(t *testing.T, want [2]uint64, got uint64) {
	t.Helper()
	require.GreaterOrEqual(t, got, want[0])
	require.Less(t, got, want[1])
}

func TestRowsWrite(t *testing.T) {
	large := make([]byte, 1<<20)
	for i := range large {
		large[i] = byte(i % 256)
	}
	wants := map[string]kvlayout.Record{ // records after iteration 7
		"OrbSet":              {Key: "key-7", Value: []byte("value-7")},
		"MicroWrite":          {Key: "key-7", Value: []byte("value-7")},
		"OrbSetGet":           {Key: "key-7", Value: []byte("value-7")},
		"MicroWriteRead":      {Key: "key-7", Value: []byte("value-7")},
		"OrbGet":              {Key: "test-key", Value: []byte("test-value")},
		"MicroRead":           {Key: "test-key", Value: []byte("test-value")},
		"OrbList":             {Table: "table-2", Key: "key-204", Value: []byte("value-204")},
		"MicroList":           {Table: "table-2", Key: "key-204", Value: []byte("value-204")},
		"OrbListPagination":   {Table: "table-2", Key: "key-204", Value: []byte("value-204")},
		"MicroListPagination": {Table: "table-204", Key: "key-204", Value: []byte("value-204")},
		"OrbSetLarge":         {Key: "large-key-7", Value: large},
		"MicroWriteLarge":     {Key: "large-key-7", Value: large},
		"OrbGetLarge":         {Key: "large-test-key", Value: large},
		"MicroReadLarge":      {Key: "large-test-key", Value: large},
		"OrbSetGetLarge":      {Key: "large-key-7", Value: large},
		"MicroWriteReadLarge": {Key: "large-key-7", Value: large},
		"OrbDeleteLarge":      {Key: "large-key-7"},
		"MicroDeleteLarge":    {Key: "large-key-7"},
	}
	for _, row := range kvlayout.Rows() {
		t.Run(row.Name, func(t *testing.T) {
			run, store := openRow(t, row)
			require.NoError(t, run.Fill(t.Context()))
			_, err := run.Do(t.Context(), 7)
			require.NoError(t, err)
			want := wants[row.Name]
			got, err := store.Get(t.Context(), want.Table, want.Key)
			if row.Loop == kvlayout.PutDelete {
				require.ErrorIs(t, err, kvlayout.ErrNotFound)
				return
			}
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestMissingKeysFail(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, row := range rowsWithPairs() {
		if row.Fill == kvlayout.Nothing {
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			run, _ := openRow(t, row)
			_, err := run.Do(t.Context(), 0)
			require.Error(t, err, "nothing is filled")

			database := "rows-" + nuid.Next()
			short, err := row.Open(t.Context(), js, kvlayout.RunOptions{Database: database, Tables: tables, Keys: 1})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, short.Drop(context.Background())) })
			require.NoError(t, short.Fill(t.Context()))
			if row.Fill == kvlayout.OneRecord {
				store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: row.Layout, Database: database})
				require.NoError(t, err)
				require.NoError(t, store.Put(t.Context(), kvlayout.Record{Key: row.Key, Value: []byte("other-word")}))
			}
			run, err = row.Open(t.Context(), js, kvlayout.RunOptions{Database: database, Tables: tables, Keys: keys})
			require.NoError(t, err)
			_, err = run.Do(t.Context(), 0)
			require.ErrorContains(t, err, "row "+row.Name, "what is read is not what was written")
		})
	}
}

func TestTheFillIsThePublishedSizeByDefault(t *testing.T) {
	js := connect(t, serverURL(t))
	row := kvlayout.Rows()[6]
	require.Equal(t, "OrbList", row.Name)
	database := "rows-" + nuid.Next()
	run, err := row.Open(t.Context(), js, kvlayout.RunOptions{Database: database, Tables: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, run.Drop(context.Background())) })
	require.NoError(t, run.Fill(t.Context()))
	work, err := run.Do(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 1000, work.Keys)
}

func TestBadOptionsAndRows(t *testing.T) {
	js := connect(t, serverURL(t))
	row := kvlayout.Rows()[0]
	_, err := row.Open(t.Context(), js, kvlayout.RunOptions{Keys: -1})
	require.EqualError(t, err, "tables and keys are 0 and -1: they must be at least 1, or 0 for 100 and 1000")
	row.Layout = "macro"
	_, err = row.Open(t.Context(), js, kvlayout.RunOptions{})
	require.ErrorContains(t, err, `layout "macro" is unknown`)
	row = kvlayout.Rows()[0]
	row.Loop = "loop"
	run, _ := openRow(t, row)
	_, err = run.Do(t.Context(), 0)
	require.EqualError(t, err, `row OrbSet: there is no loop "loop"`)
}

func TestAFailedIterationSaysSo(t *testing.T) {
	for _, row := range rowsWithPairs() {
		run, _ := openRow(t, row)
		require.NoError(t, run.Fill(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := run.Do(ctx, 0)
		require.ErrorIs(t, err, context.Canceled, row.Name)
		require.NotErrorIs(t, err, kvlayout.ErrNotFound)
		if row.Fill != kvlayout.Nothing {
			require.ErrorIs(t, run.Fill(ctx), context.Canceled)
		}
	}
}

package kvlayout_test

import (
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

func TestList(t *testing.T) {
	type options = kvlayout.ListOptions
	records := []string{"b1", "t/a1", "t/a2", "u/a3", "t/b2", "a4", "t_/a5"}
	type want struct {
		options options
		keys    []string
	}
	tests := map[kvlayout.Layout][]want{
		kvlayout.Orb: {
			{options{}, []string{"b1", "a4"}},
			{options{Table: "t"}, []string{"a1", "a2", "b2"}},
			{options{Table: "t", Prefix: "a"}, []string{"a1", "a2"}},
			{options{Table: "t", Suffix: "2"}, []string{"a2", "b2"}},
			{options{Table: "t", Prefix: "b", Limit: 2}, []string{}}, // paging before the filter
			{options{Table: "t", Prefix: "b", Limit: 2, Offset: 1}, []string{"b2"}},
			{options{Table: "t", Limit: 1, Offset: 1}, []string{"a2"}},
			{options{Table: "t", Offset: 3}, []string{}},
			{options{Table: "t", Limit: ^uint32(0), Offset: ^uint32(0)}, []string{}},
			{options{Table: "t", Limit: ^uint32(0), Offset: 2}, []string{"b2"}},
		},
		kvlayout.OrbCompat: {
			{options{}, []string{"b1", "a1", "a2", "a3", "b2", "a4", "a5"}},
			{options{Table: "t"}, []string{"b1", "a1", "a2", "a3", "b2", "a4", "a5"}},
			{options{Table: "t", Prefix: "a", Limit: 2}, []string{"a1"}},
			{options{Table: "nosuch", Prefix: "b", Suffix: "2"}, []string{"b2"}},
		},
		kvlayout.Micro: {
			{options{}, []string{"b1", "t_a1", "t_a2", "u_a3", "t_b2", "a4", "t__a5"}},
			{options{Table: "t"}, []string{"a1", "a2", "b2", "_a5"}},
			{options{Table: "t", Prefix: "b", Limit: 2}, []string{"b2"}}, // paging after the filter
			{options{Table: "t", Limit: 2, Offset: 1}, []string{"a2", "b2"}},
			{options{Table: "t", Offset: 9}, []string{}},
			{options{Table: "nosuch"}, []string{}},
			{options{Suffix: "1", Limit: ^uint32(0), Offset: 1}, []string{"t_a1"}},
		},
	}
	js := connect(t, serverURL(t))
	for layout, wants := range tests {
		store, _ := open(t, js, layout)
		put(t, store, records...)
		for _, want := range wants {
			keys, err := store.List(t.Context(), want.options)
			require.NoError(t, err)
			require.Equal(t, want.keys, keys, "%s %+v", layout, want.options)
		}
	}
}

func TestTheOrderOfAListIsThatOfWriting(t *testing.T) {
	js := connect(t, serverURL(t))
	store, _ := open(t, js, kvlayout.Orb)
	put(t, store, "c", "a", "b", "c")
	keys, err := store.List(t.Context(), kvlayout.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c"}, keys)
	put(t, store, "a")
	require.NoError(t, store.Delete(t.Context(), "", "b"))
	keys, err = store.List(t.Context(), kvlayout.ListOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"c", "a"}, keys)
}

func TestAnEmptyList(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, _ := open(t, js, layout)
		for _, when := range []string{"never used", "all deleted"} {
			keys, err := store.List(t.Context(), kvlayout.ListOptions{})
			if layout == kvlayout.Micro {
				require.NoError(t, err, when)
				require.Equal(t, []string{}, keys, when)
			} else {
				require.ErrorIs(t, err, kvlayout.ErrEmpty, when)
			}
			put(t, store, "k")
			require.NoError(t, store.Delete(t.Context(), "", "k"))
		}
	}
}

func TestKeysOfOtherLayoutsAreListedUnchanged(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, database := open(t, js, layout)
		put(t, store, "k1")
		bucket, err := js.KeyValue(t.Context(), database)
		require.NoError(t, err)
		_, err = bucket.Put(t.Context(), "not-base32", nil)
		require.NoError(t, err)
		keys, err := store.List(t.Context(), kvlayout.ListOptions{})
		require.NoError(t, err)
		require.Equal(t, []string{"k1", "not-base32"}, keys)
	}
}

func TestDrop(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, database := open(t, js, layout)
		neighbour, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: layout, Database: database + "2"})
		require.NoError(t, err)
		put(t, store, "k", "t/k", "u/k")
		put(t, neighbour, "k", "t/k")
		require.NoError(t, store.Drop(t.Context()))
		for _, bucket := range []string{"", "_t", "_u"} {
			_, err = js.KeyValue(t.Context(), database+bucket)
			require.ErrorIs(t, err, jetstream.ErrBucketNotFound)
		}
		_, err = neighbour.Get(t.Context(), "t", "k")
		require.NoError(t, err, "go-orb's own DropDatabase would have taken this as well")
		put(t, store, "k")
		_, err = store.Get(t.Context(), "", "k")
		require.NoError(t, err, "a dropped database can be used again")
		require.NoError(t, neighbour.Drop(context.Background()))
	}
}

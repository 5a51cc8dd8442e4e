package kvlayout_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

func TestParseLayout(t *testing.T) {
	for _, name := range []string{"orb", "orb-compat", "micro"} {
		layout, err := kvlayout.ParseLayout(name)
		require.NoError(t, err)
		require.Equal(t, kvlayout.Layout(name), layout)
	}
	_, err := kvlayout.ParseLayout("macro")
	require.EqualError(t, err, `layout "macro" is unknown: it is "orb", "orb-compat" or "micro"`)
	_, err = kvlayout.Open(t.Context(), nil, kvlayout.Options{})
	require.EqualError(t, err, `layout "" is unknown: it is "orb", "orb-compat" or "micro"`)
}

func TestInvalidCalls(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, database := open(t, js, layout)
		require.ErrorIs(t, store.Put(t.Context(), kvlayout.Record{Table: "t"}), kvlayout.ErrKey)
		_, err := store.Get(t.Context(), "t", "")
		require.ErrorIs(t, err, kvlayout.ErrKey)
		require.ErrorIs(t, store.Delete(t.Context(), "t", ""), kvlayout.ErrKey)
		_, err = store.Get(t.Context(), "", "nosuch")
		require.EqualError(t, err, fmt.Sprintf("get key \"nosuch\" in bucket %q: there is no such key", database))
		require.NoError(t, store.Delete(t.Context(), "", "nosuch"))
	}
	_, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.Micro, Database: "a b"})
	require.ErrorIs(t, err, kvlayout.ErrName)
	orb, database := open(t, js, kvlayout.Orb)
	err = orb.Put(t.Context(), kvlayout.Record{Table: "a.b", Key: "k"})
	require.EqualError(t, err, fmt.Sprintf("put key \"k\" in bucket %q: a bucket's name may only have letters, digits, - and _", database+"_a.b"))
	micro, _ := open(t, js, kvlayout.Micro)
	require.ErrorIs(t, micro.Delete(t.Context(), "DELETE_BUCKET", "k"), kvlayout.ErrName)
}

func TestValuesOfOtherLayouts(t *testing.T) {
	js := connect(t, serverURL(t))
	for _, layout := range []kvlayout.Layout{kvlayout.OrbCompat, kvlayout.Micro} {
		store, database := open(t, js, layout)
		put(t, store, "k1")
		bucket, err := js.KeyValue(t.Context(), database)
		require.NoError(t, err)
		for _, value := range []string{"", "v1", "{", "[]", `{"key":1}`, `{"data":"no base64"}`, `{"key":"k1","data":"djE=","metadata":[]}`} {
			_, err = bucket.PutString(t.Context(), "NMYQ====", value)
			require.NoError(t, err)
			_, err = store.Get(t.Context(), "", "k1")
			require.ErrorIs(t, err, kvlayout.ErrValue, value)
		}
	}
}

func TestAValueThatIsTooLarge(t *testing.T) {
	js := connect(t, serverURL(t))
	value := make([]byte, js.Conn().MaxPayload()+1)
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, _ := open(t, js, layout)
		require.ErrorIs(t, store.Put(t.Context(), kvlayout.Record{Key: "k", Value: value}), nats.ErrMaxPayload)
	}
}

func operations(store *kvlayout.Store) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"put":    func(ctx context.Context) error { return store.Put(ctx, kvlayout.Record{Key: "new"}) },
		"get":    func(ctx context.Context) error { _, err := store.Get(ctx, "", "key-1"); return err },
		"delete": func(ctx context.Context) error { return store.Delete(ctx, "", "key-1") },
		"list":   func(ctx context.Context) error { _, err := store.List(ctx, kvlayout.ListOptions{}); return err },
		"drop":   store.Drop,
	}
}

func filled(t *testing.T, l *line) *kvlayout.Store {
	t.Helper()
	direct := connect(t, serverURL(t))
	store, database := open(t, direct, kvlayout.Orb)
	for i := range 300 {
		put(t, store, fmt.Sprintf("key-%d", i))
	}
	js := connect(t, l.address, nats.NoReconnect())
	store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.Orb, Database: database})
	require.NoError(t, err)
	_, err = store.Get(t.Context(), "", "key-1")
	require.NoError(t, err, "the line works")

	return store
}

func TestAServerThatFallsSilent(t *testing.T) {
	noGoroutineLeft(t)
	for name := range operations(nil) {
		t.Run(name, func(t *testing.T) {
			l := newLine(t)
			operation := operations(filled(t, l))[name]
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			l.left.Store(20000)
			if name != "list" {
				l.left.Store(1)
			}
			begun := time.Now()
			err := operation(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Less(t, time.Since(begun), 4*time.Second)
		})
	}
}

func TestAServerThatLeaves(t *testing.T) {
	noGoroutineLeft(t)
	for name := range operations(nil) {
		t.Run(name, func(t *testing.T) {
			l := newLine(t)
			operation := operations(filled(t, l))[name]
			l.cut.Store(true)
			l.left.Store(20000)
			if name != "list" {
				l.left.Store(1)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			err := operation(ctx)
			require.Error(t, err)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "it is known at once")
			if name == "list" {
				assert.True(t, errors.Is(err, kvlayout.ErrIncomplete) || errors.Is(err, nats.ErrConnectionClosed), "what has come is not all: %v", err)
			}
		})
	}
}

func TestAContextThatHasEnded(t *testing.T) {
	noGoroutineLeft(t)
	store, _ := open(t, connect(t, serverURL(t)), kvlayout.Micro)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, operation := range operations(store) {
		require.ErrorIs(t, operation(ctx), context.Canceled, name)
	}
}

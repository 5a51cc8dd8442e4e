package kvlayout_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

type message struct {
	Key, Value string
	Headers    nats.Header
}

func dump(t *testing.T, js jetstream.JetStream, bucket string) []message {
	t.Helper()
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	require.NoError(t, err)
	info, err := stream.Info(t.Context())
	require.NoError(t, err)
	var messages []message
	for i := info.State.FirstSeq; i <= info.State.LastSeq; i++ {
		raw, err := stream.GetMsg(t.Context(), i)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // overwritten
		}
		require.NoError(t, err)
		for _, own := range []string{"Nats-Sequence", "Nats-Stream", "Nats-Subject", "Nats-Time-Stamp"} {
			raw.Header.Del(own)
		}
		messages = append(messages, message{raw.Subject[len("$KV."+bucket+"."):], string(raw.Data), raw.Header})
	}

	return messages
}

// The expected messages were dumped from a server after the libraries had written to it.
func TestBucketContent(t *testing.T) {
	var (
		purge  = nats.Header{"KV-Operation": {"PURGE"}, "Nats-Rollup": {"sub"}}
		marker = nats.Header{"KV-Operation": {"DEL"}}
		one    = map[string]any{"a": 1}
	)
	tests := map[string]struct {
		layout kvlayout.Layout
		record kvlayout.Record
		bucket string // end of the bucket's name, after the database
		key    string
		value  string
		delete nats.Header
	}{
		"orb":                  {kvlayout.Orb, kvlayout.Record{Table: "tbl", Key: "k1", Value: []byte("v1")}, "_tbl", "ORRGYX3LGE======", "v1", purge},
		"orb, no table":        {kvlayout.Orb, kvlayout.Record{Key: "k1", Value: []byte("v1")}, "", "NMYQ====", "v1", purge},
		"orb, no value":        {kvlayout.Orb, kvlayout.Record{Key: "k1"}, "", "NMYQ====", "", purge},
		"compatible":           {kvlayout.OrbCompat, kvlayout.Record{Table: "tbl", Key: "k1", Value: []byte("v1")}, "", "NMYQ====", `{"key":"k1","data":"djE=","metadata":{}}`, purge},
		"compatible, no table": {kvlayout.OrbCompat, kvlayout.Record{Key: "k1", Value: []byte("v1")}, "", "NMYQ====", `{"key":"k1","data":"djE=","metadata":{}}`, purge},
		"micro":                {kvlayout.Micro, kvlayout.Record{Table: "tbl", Key: "k1", Value: []byte("v1"), Metadata: one}, "", "ORRGYX3LGE======", `{"key":"k1","data":"djE=","metadata":{"a":1}}`, marker},
		"micro, no table":      {kvlayout.Micro, kvlayout.Record{Key: "k1", Value: []byte("v1")}, "", "NMYQ====", `{"key":"k1","data":"djE=","metadata":null}`, marker},
		"micro, no value":      {kvlayout.Micro, kvlayout.Record{Key: "<k>"}, "", "HRVT4===", `{"key":"\u003ck\u003e","data":null,"metadata":null}`, marker},
	}
	js := connect(t, serverURL(t))
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store, database := open(t, js, test.layout)
			require.NoError(t, store.Put(t.Context(), test.record))
			require.Equal(t, []message{{test.key, test.value, nats.Header{}}}, dump(t, js, database+test.bucket))
			require.NoError(t, store.Delete(t.Context(), test.record.Table, test.record.Key))
			require.Equal(t, []message{{test.key, "", test.delete}}, dump(t, js, database+test.bucket))
		})
	}
}

func TestTheBucketsSettings(t *testing.T) {
	js := connect(t, serverURL(t))
	for layout, description := range map[kvlayout.Layout]string{
		kvlayout.Orb:       "KeyValue storage administered by go-orb",
		kvlayout.OrbCompat: "KeyValue storage administered by go-orb",
		kvlayout.Micro:     "KeyValue storage administered by go-micro store plugin",
	} {
		store, database := open(t, js, layout)
		put(t, store, "key")
		stream, err := js.Stream(t.Context(), "KV_"+database)
		require.NoError(t, err)
		config := stream.CachedInfo().Config
		config.Metadata = nil // it contains the server's version
		got, err := json.Marshal(config)
		require.NoError(t, err)
		require.JSONEq(t, `{"name":"KV_`+database+`","description":"`+description+`","subjects":["$KV.`+database+`.>"],"retention":"limits",
			"max_consumers":-1,"max_msgs":-1,"max_bytes":-1,"discard":"new","max_age":0,"max_msgs_per_subject":1,"max_msg_size":-1,
			"storage":"file","num_replicas":1,"duplicate_window":120000000000,"compression":"none","allow_direct":true,"mirror_direct":false,
			"deny_delete":true,"allow_rollup_hdrs":true,"consumer_limits":{}}`, string(got))
	}
}

func TestTheBucketThatMicroOpens(t *testing.T) {
	js := connect(t, serverURL(t))
	for layout, made := range map[kvlayout.Layout]bool{kvlayout.Orb: false, kvlayout.OrbCompat: false, kvlayout.Micro: true} {
		_, database := open(t, js, layout)
		_, err := js.KeyValue(t.Context(), database)
		require.Equal(t, made, err == nil, layout)
	}
}

func TestARecordComesBack(t *testing.T) {
	js := connect(t, serverURL(t))
	large := make([]byte, 1<<20)
	for i := range large {
		large[i] = byte(i)
	}
	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat, kvlayout.Micro} {
		store, _ := open(t, js, layout)
		for _, record := range []kvlayout.Record{
			{Key: "plain", Value: []byte("v1")},
			{Table: "tbl", Key: "with a table", Value: []byte("v2")},
			{Key: "ключ.with > * and \x00", Value: []byte("\x00\xff")},
			{Key: "large", Value: large},
			{Key: "tbl_k", Value: []byte("{}")},
		} {
			require.NoError(t, store.Put(t.Context(), record))
			got, err := store.Get(t.Context(), record.Table, record.Key)
			require.NoError(t, err)
			require.Equal(t, record, got)
			require.NoError(t, store.Delete(t.Context(), record.Table, record.Key))
			_, err = store.Get(t.Context(), record.Table, record.Key)
			require.ErrorIs(t, err, kvlayout.ErrNotFound)
		}
	}
}

func TestMetadata(t *testing.T) {
	js := connect(t, serverURL(t))
	record := kvlayout.Record{Key: "k1", Value: []byte("v1"), Metadata: map[string]any{"a": 1.5, "b": map[string]any{"c": []any{"d", nil}}}}
	store, database := open(t, js, kvlayout.Micro)
	require.NoError(t, store.Put(t.Context(), record))
	got, err := store.Get(t.Context(), "", "k1")
	require.NoError(t, err)
	require.Equal(t, record, got)

	compatible, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.OrbCompat, Database: database})
	require.NoError(t, err)
	got, err = compatible.Get(t.Context(), "", "k1")
	require.NoError(t, err)
	require.Equal(t, kvlayout.Record{Key: "k1", Value: []byte("v1")}, got, "go-orb reads the record, without its metadata")

	for _, layout := range []kvlayout.Layout{kvlayout.Orb, kvlayout.OrbCompat} {
		store, _ = open(t, js, layout)
		require.ErrorIs(t, store.Put(t.Context(), record), kvlayout.ErrMetadata)
	}
	record.Metadata = map[string]any{"a": func() {}}
	store, _ = open(t, js, kvlayout.Micro)
	require.ErrorIs(t, store.Put(t.Context(), record), kvlayout.ErrMetadata)
}

// In OrbCompat a key has no table, as in go-orb.
func TestTablesCollideInTheCompatibleMode(t *testing.T) {
	js := connect(t, serverURL(t))
	for layout, want := range map[kvlayout.Layout]string{kvlayout.Orb: "of a", kvlayout.OrbCompat: "of b", kvlayout.Micro: "of a"} {
		store, _ := open(t, js, layout)
		require.NoError(t, store.Put(t.Context(), kvlayout.Record{Table: "a", Key: "k", Value: []byte("of a")}))
		require.NoError(t, store.Put(t.Context(), kvlayout.Record{Table: "b", Key: "k", Value: []byte("of b")}))
		got, err := store.Get(t.Context(), "a", "k")
		require.NoError(t, err)
		require.Equal(t, want, string(got.Value), layout)
	}
}

func TestReplicasAndTwoStoresThatMakeOneBucket(t *testing.T) {
	js := connect(t, serverURL(t))
	_, database := open(t, js, kvlayout.Orb)
	errs := make(chan error)
	for range 8 {
		go func() {
			store, err := kvlayout.Open(context.Background(), js, kvlayout.Options{Layout: kvlayout.Orb, Database: database, Replicas: 1})
			if err == nil {
				err = store.Put(context.Background(), kvlayout.Record{Table: "t", Key: "k"})
			}
			errs <- err
		}()
	}
	for range 8 {
		require.NoError(t, <-errs)
	}
	store, err := kvlayout.Open(t.Context(), js, kvlayout.Options{Layout: kvlayout.Orb, Database: database, Replicas: 6})
	require.NoError(t, err)
	require.Error(t, store.Put(t.Context(), kvlayout.Record{Table: "new", Key: "k"}), "more replicas than there may be")
	require.NoError(t, store.Put(t.Context(), kvlayout.Record{Table: "t", Key: "k"}), "a bucket that is there is taken as it is")
}

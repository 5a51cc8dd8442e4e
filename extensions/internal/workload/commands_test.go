package workload_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

func commandClient(t *testing.T, script string) (*workload.Client, *fakeStore) {
	t.Helper()
	options, err := read(script)
	require.NoError(t, err)
	work, err := workload.New(options)
	require.NoError(t, err)
	store := &fakeStore{}
	client, err := work.Client(store, 0, 1)
	require.NoError(t, err)

	return client, store
}

func TestCommands(t *testing.T) {
	for _, pipeline := range []string{"1", "7"} {
		client, store := commandClient(t, `{"iterations": 4000, "pipeline": `+pipeline+`, "keys": {"count": 10, "prefix": "k", "size": 2}, "values": 5,
			"commands": [
				{"op": "one", "args": ["ONE", "a{key}{value}b", 5], "share": 3, "reply": {"type": "words", "value": "ONE a{key}{value}b 5"}},
				{"op": "two", "args": ["TWO", "{", "{{key}}", "{key"]}
			]}`)
		seen := map[string]int{}
		store.Fault = func(op workload.Op, key []byte) error {
			seen[client.Work().OpName(op)+" "+string(key)]++

			return nil
		}
		var observer fakeObserver
		result, err := client.Run(t.Context(), &observer)
		require.NoError(t, err)
		require.EqualValues(t, 4000, result.Succeeded)
		require.EqualValues(t, 5*observer.Others[workload.Op(workload.NumOps)], result.BytesSent)
		one, two := observer.Others[workload.Op(workload.NumOps)], observer.Others[workload.Op(workload.NumOps)+1]
		require.Equal(t, 4000, one+two)
		require.InDelta(t, 3000, one, 150)
		for word, times := range seen {
			if key, is := strings.CutPrefix(word, "two "); is {
				require.Regexp(t, `^{k[0-9]}$`, key, "the first word with the key says where it is")
			} else {
				require.Regexp(t, `^one ak[0-9][a-zA-Z0-9_-]{5}b$`, word)
			}
			require.InDelta(t, 200, times, 160)
		}
		require.Len(t, seen, 20)
	}
}

func TestWrongReplies(t *testing.T) {
	for reply, fails := range map[string]string{
		`{"type": "words"}`:      "",
		`{}`:                     "",
		`{"value": "GET {key}"}`: "",
		`{"type": "words", "value": "GET {key}!"}`: "the reply is not the one that the option reply describes",
		`{"value": ""}`: "the reply is not the one that the option reply describes",
	} {
		client, _ := commandClient(t, `{"iterations": 50, "commands": [{"op": "get", "args": ["GET", "{key}"], "reply": `+reply+`}]}`)
		var observer fakeObserver
		result, err := client.Run(t.Context(), &observer)
		require.NoError(t, err)
		if fails == "" {
			require.EqualValues(t, 50, result.Succeeded, reply)

			continue
		}
		require.EqualValues(t, 50, result.Wrong, reply)
		require.ErrorIs(t, observer.Reasons[0], workload.ErrWrongReply)
		require.ErrorContains(t, observer.Reasons[0], fails)
	}
}

func TestPrefillByCommands(t *testing.T) {
	client, store := commandClient(t, `{"iterations": 1, "keys": {"count": 30}, "commands": [{"op": "a", "args": ["A", "{key}"]}, {"op": "b", "args": ["B", "{key}"]}]}`)
	seen := map[string]int{}
	store.Fault = func(op workload.Op, key []byte) error {
		seen[client.Work().OpName(op)+" "+string(key)]++
		if len(seen) == 60 {
			return errors.New("full")
		}

		return nil
	}
	_, err := client.Prefill(t.Context())
	require.EqualError(t, err, "prefill of key key:000000000029: full")
	require.Equal(t, 1, client.Unwritten())
	_, err = client.Prefill(t.Context())
	require.Error(t, err)
	require.Len(t, seen, 60)
	for name, times := range seen {
		require.Equal(t, 1+strings.Count(name, "a key:000000000029"), times, name)
	}
}

func TestCommandsThatAreRefused(t *testing.T) {
	options, err := read(`{"iterations": 1, "commands": [{"op": "a", "args": ["A"]}, {"op": "b", "args": ["refused"], "reply": {"type": "words"}}]}`)
	require.NoError(t, err)
	work, err := workload.New(options)
	require.NoError(t, err)
	_, err = work.Client(&fakeStore{}, 0, 1)
	require.EqualError(t, err, "option commands[1]: no refused, no words")
	_, err = work.Client(struct{ workload.Store }{&fakeStore{}}, 0, 1)
	require.EqualError(t, err, "option commands: this store runs no commands of its protocol, only a mix")
}

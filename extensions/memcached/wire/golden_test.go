package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

type exchanged struct {
	request      wire.Request
	sent, answer string
	want         wire.Reply
}

func b(s string) []byte { return []byte(s) }

func textExchanges() []exchanged {
	k, v := b("key"), b("a\r\nb")
	ok, missing := wire.Reply{Status: wire.OK}, wire.Reply{Status: wire.NotFound}

	return []exchanged{
		{request: wire.Request{Verb: wire.Get, Key: k}, sent: "get key\r\n", answer: "END\r\n", want: missing},
		{request: wire.Request{Verb: wire.Get, Key: k}, sent: "get key\r\n", answer: "VALUE key 7 4\r\na\r\nb\r\nEND\r\n",
			want: wire.Reply{Status: wire.OK, Value: v, Flags: 7}},
		{request: wire.Request{Verb: wire.Gets, Key: k}, sent: "gets key\r\n", answer: "VALUE key 0 0 18446744073709551615\r\n\r\nEND\r\n",
			want: wire.Reply{Status: wire.OK, CAS: 1<<64 - 1}},
		{request: wire.Request{Verb: wire.Gat, Key: k, Expire: 30}, sent: "gat 30 key\r\n", answer: "VALUE key 0 4\r\na\r\nb\r\nEND\r\n",
			want: wire.Reply{Status: wire.OK, Value: v}},
		{request: wire.Request{Verb: wire.Gats, Key: k, Expire: -1}, sent: "gats -1 key\r\n", answer: "END\r\n", want: missing},
		{request: wire.Request{Verb: wire.Touch, Key: k, Expire: 9}, sent: "touch key 9\r\n", answer: "TOUCHED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Touch, Key: k}, sent: "touch key 0\r\n", answer: "NOT_FOUND\r\n", want: missing},
		{request: wire.Request{Verb: wire.Set, Key: k, Value: v, Flags: 1<<32 - 1, Expire: 60},
			sent: "set key 4294967295 60 4\r\na\r\nb\r\n", answer: "STORED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Set, Key: k}, sent: "set key 0 0 0\r\n\r\n", answer: "STORED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Add, Key: k, Value: v}, sent: "add key 0 0 4\r\na\r\nb\r\n", answer: "NOT_STORED\r\n",
			want: wire.Reply{Status: wire.NotStored}},
		{request: wire.Request{Verb: wire.Replace, Key: k, Value: v}, sent: "replace key 0 0 4\r\na\r\nb\r\n", answer: "STORED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Append, Key: k, Value: v}, sent: "append key 0 0 4\r\na\r\nb\r\n", answer: "STORED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Prepend, Key: k, Value: v}, sent: "prepend key 0 0 4\r\na\r\nb\r\n", answer: "STORED\r\n", want: ok},
		{request: wire.Request{Verb: wire.CompareAndSwap, Key: k, Value: v, CAS: 5}, sent: "cas key 0 0 4 5\r\na\r\nb\r\n",
			answer: "EXISTS\r\n", want: wire.Reply{Status: wire.Exists}},
		{request: wire.Request{Verb: wire.CompareAndSwap, Key: k, Value: v, CAS: 5}, sent: "cas key 0 0 4 5\r\na\r\nb\r\n",
			answer: "NOT_FOUND\r\n", want: missing},
		{request: wire.Request{Verb: wire.Delete, Key: k}, sent: "delete key\r\n", answer: "DELETED\r\n", want: ok},
		{request: wire.Request{Verb: wire.Increment, Key: k, Delta: 3}, sent: "incr key 3\r\n", answer: "18446744073709551615\r\n",
			want: wire.Reply{Status: wire.OK, Number: 1<<64 - 1}},
		{request: wire.Request{Verb: wire.Decrement, Key: k, Delta: 1<<64 - 1}, sent: "decr key 18446744073709551615\r\n",
			answer: "NOT_FOUND\r\n", want: missing},
	}
}

func metaExchanges() []exchanged {
	k, v := b("key"), b("a\r\nb")
	ok, missing := wire.Reply{Status: wire.OK}, wire.Reply{Status: wire.NotFound}

	return []exchanged{
		{request: wire.Request{Verb: wire.Get, Key: k}, sent: "mg key v f O1\r\n", answer: "EN O1\r\n", want: missing},
		{request: wire.Request{Verb: wire.Get, Key: k}, sent: "mg key v f O1\r\n", answer: "VA 4 f7 O1\r\na\r\nb\r\n",
			want: wire.Reply{Status: wire.OK, Value: v, Flags: 7}},
		{request: wire.Request{Verb: wire.Get, Key: b("a b\x00\r\n")}, sent: "mg YSBiAA0K b v f O1\r\n", answer: "VA 0 b f0 O1\r\n\r\n", want: ok},
		{request: wire.Request{Verb: wire.Gets, Key: k}, sent: "mg key v f c O1\r\n", answer: "VA 0 f0 c9 O1\r\n\r\n",
			want: wire.Reply{Status: wire.OK, CAS: 9}},
		{request: wire.Request{Verb: wire.Gat, Key: k, Expire: 30}, sent: "mg key v f T30 O1\r\n", answer: "EN O1\r\n", want: missing},
		{request: wire.Request{Verb: wire.Gats, Key: k, Expire: 30}, sent: "mg key v f c T30 O1\r\n", answer: "EN O1\r\n", want: missing},
		{request: wire.Request{Verb: wire.Touch, Key: k, Expire: 9}, sent: "mg key T9 O1\r\n", answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.Set, Key: k, Value: v, Flags: 7, Expire: 60}, sent: "ms key 4 F7 T60 O1\r\na\r\nb\r\n",
			answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.Set, Key: b(" "), Value: v}, sent: "ms IA== 4 b O1\r\na\r\nb\r\n", answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.Add, Key: k}, sent: "ms key 0 ME O1\r\n\r\n", answer: "NS O1\r\n", want: wire.Reply{Status: wire.NotStored}},
		{request: wire.Request{Verb: wire.Replace, Key: k}, sent: "ms key 0 MR O1\r\n\r\n", answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.Append, Key: k}, sent: "ms key 0 MA O1\r\n\r\n", answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.Prepend, Key: k}, sent: "ms key 0 MP O1\r\n\r\n", answer: "HD O1\r\n", want: ok},
		{request: wire.Request{Verb: wire.CompareAndSwap, Key: k, CAS: 5}, sent: "ms key 0 C5 O1\r\n\r\n", answer: "EX O1\r\n",
			want: wire.Reply{Status: wire.Exists}},
		{request: wire.Request{Verb: wire.Delete, Key: k}, sent: "md key O1\r\n", answer: "NF O1\r\n", want: missing},
		{request: wire.Request{Verb: wire.Increment, Key: k, Delta: 3}, sent: "ma key v D3 O1\r\n", answer: "VA 1 O1\r\n8\r\n",
			want: wire.Reply{Status: wire.OK, Number: 8, Value: b("8")}},
		{request: wire.Request{Verb: wire.Decrement, Key: k, Delta: 3}, sent: "ma key v MD D3 O1\r\n", answer: "NF O1\r\n", want: missing},
	}
}

func commonExchanges() []exchanged {
	k := b("key")
	ok := wire.Reply{Status: wire.OK}

	return []exchanged{
		{request: wire.Request{Verb: wire.Flush}, sent: "flush_all 0\r\n", answer: "OK\r\n", want: ok},
		{request: wire.Request{Verb: wire.Flush, Expire: 5}, sent: "flush_all 5\r\n", answer: "OK\r\n", want: ok},
		{request: wire.Request{Verb: wire.Version}, sent: "version\r\n", answer: "VERSION 1.6.18\r\n",
			want: wire.Reply{Status: wire.OK, Value: b("1.6.18")}},
		{request: wire.Request{Verb: wire.Noop}, sent: "mn\r\n", answer: "MN\r\n", want: ok},
		{request: wire.Request{Verb: wire.MetaGet, Key: k, Meta: b("v t f")}, sent: "mg key v t f\r\n", answer: "VA 1 t-1 f0\r\nx\r\n",
			want: wire.Reply{Status: wire.OK, Value: b("x"), Meta: b("t-1 f0")}},
		{request: wire.Request{Verb: wire.MetaGet, Key: k}, sent: "mg key\r\n", answer: "HD\r\n", want: ok},
		{request: wire.Request{Verb: wire.MetaSet, Key: k, Value: b("xy"), Meta: b("T0 c")}, sent: "ms key 2 T0 c\r\nxy\r\n",
			answer: "HD c5\r\n", want: wire.Reply{Status: wire.OK, Meta: b("c5")}},
		{request: wire.Request{Verb: wire.MetaSet, Key: b("\x01"), Value: b("xy"), Meta: b("I")}, sent: "ms AQ== 2 b I\r\nxy\r\n",
			answer: "NS\r\n", want: wire.Reply{Status: wire.NotStored}},
		{request: wire.Request{Verb: wire.MetaDelete, Key: k, Meta: b("I T5")}, sent: "md key I T5\r\n", answer: "EX\r\n",
			want: wire.Reply{Status: wire.Exists}},
		{request: wire.Request{Verb: wire.MetaArithmetic, Key: k, Meta: b("N0 J5")}, sent: "ma key N0 J5\r\n", answer: "HD\r\n", want: ok},
	}
}

func TestBytesOfEveryVerb(t *testing.T) {
	for name, protocol := range protocols {
		exchanges := append(commonExchanges(), map[wire.Protocol][]exchanged{wire.Text: textExchanges(), wire.Meta: metaExchanges()}[protocol]...)
		for _, x := range exchanges {
			t.Run(name+" "+strings.TrimSpace(x.sent), func(t *testing.T) {
				c, sent := answers(t, protocol, x.answer, 0)
				var a wire.Reply
				require.NoError(t, c.Do(&x.request, &a))
				require.Equal(t, x.sent, sent.String())
				require.Equal(t, x.want.Status, a.Status)
				require.Equal(t, string(x.want.Value), string(a.Value))
				require.Equal(t, string(x.want.Meta), string(a.Meta))
				require.Equal(t, []any{x.want.Flags, x.want.CAS, x.want.Number, x.want.Err}, []any{a.Flags, a.CAS, a.Number, a.Err})
				require.False(t, c.Broken())

				received, sentBytes := c.Traffic()
				require.Equal(t, []uint64{uint64(len(x.answer)), uint64(len(x.sent))}, []uint64{received, sentBytes})

				c, sent = answers(t, protocol, x.answer, 0)
				replies := make([]wire.Reply, 1)
				require.NoError(t, c.Pipeline([]wire.Request{x.request}, replies))
				require.Equal(t, x.sent, sent.String())
				require.NoError(t, replies[0].Err)
				require.Equal(t, a.Status, replies[0].Status)

				for end := range len(x.answer) {
					c, _ = answers(t, protocol, x.answer[:end], 0)
					requireKind(t, wire.KindConnection, c.Do(&x.request, &a))
					require.True(t, c.Broken())
				}
			})
		}
	}
}

func TestAnswersOutOfStep(t *testing.T) {
	for _, test := range []struct {
		protocol wire.Protocol
		verb     wire.Verb
		answer   string
	}{
		{wire.Text, wire.Get, "STORED\r\n"},
		{wire.Text, wire.Get, "VALUE other 0 1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 1\r\nxy\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 2\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 1\r\nx\r\nSTORED\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 1\r\nx\r\nVALUE key 0 1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 -1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 99999999999999999999\r\n"},
		{wire.Text, wire.Get, "VALUE key 4294967296 1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 1 5\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key 0 1 5 6\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Get, "VALUE key\r\n"},
		{wire.Text, wire.Get, "END\n"},
		{wire.Text, wire.Get, "\r\n"},
		{wire.Text, wire.Get, strings.Repeat("x", 20_000) + "\r\n"},
		{wire.Text, wire.Gets, "VALUE key 0 1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Gets, "VALUE key 0 1 x\r\nx\r\nEND\r\n"},
		{wire.Text, wire.Set, "END\r\n"},
		{wire.Text, wire.Set, "EXISTS\r\n"},
		{wire.Text, wire.Set, "NOT_FOUND\r\n"},
		{wire.Text, wire.Set, "VALUE key 0 1\r\nx\r\nEND\r\n"},
		{wire.Text, wire.CompareAndSwap, "DELETED\r\n"},
		{wire.Text, wire.Delete, "STORED\r\n"},
		{wire.Text, wire.Touch, "DELETED\r\n"},
		{wire.Text, wire.Increment, "STORED\r\n"},
		{wire.Text, wire.Increment, "18446744073709551616\r\n"},
		{wire.Text, wire.Increment, "-1\r\n"},
		{wire.Text, wire.Flush, "NOT_FOUND\r\n"},
		{wire.Text, wire.Version, "1.6\r\n"},
		{wire.Text, wire.Noop, "OK\r\n"},
		{wire.Meta, wire.Get, "EN\r\n"},
		{wire.Meta, wire.Get, "EN O2\r\n"},
		{wire.Meta, wire.Get, "EN O1 O1\r\n"},
		{wire.Meta, wire.Get, "EN  O1\r\n"},
		{wire.Meta, wire.Get, "HD O1\r\n"},
		{wire.Meta, wire.Get, "VA 1 f0 O2\r\nx\r\n"},
		{wire.Meta, wire.Get, "VA 1 fx O1\r\nx\r\n"},
		{wire.Meta, wire.Get, "VA -1 f0 O1\r\nx\r\n"},
		{wire.Meta, wire.Get, "VA 1 f0 O1\r\nxy\r\n"},
		{wire.Meta, wire.Get, "END\r\n"},
		{wire.Meta, wire.Gets, "VA 1 f0 cx O1\r\nx\r\n"},
		{wire.Meta, wire.Set, "VA 1 O1\r\nx\r\n"},
		{wire.Meta, wire.Set, "EN O1\r\n"},
		{wire.Meta, wire.Set, "STORED\r\n"},
		{wire.Meta, wire.Delete, "NS O1\r\n"},
		{wire.Meta, wire.Touch, "VA 1 O1\r\nx\r\n"},
		{wire.Meta, wire.Increment, "VA 1 O1\r\nx\r\n"},
		{wire.Meta, wire.Increment, "HD O1\r\n"},
		{wire.Meta, wire.Noop, "HD\r\n"},
		{wire.Meta, wire.MetaGet, "NS\r\n"},
		{wire.Meta, wire.MetaArithmetic, "EN\r\n"},
		{wire.Meta, wire.MetaSet, "MN\r\n"},
	} {
		t.Run(test.answer[:min(len(test.answer), 40)], func(t *testing.T) {
			c, _ := answers(t, test.protocol, test.answer+"END\r\n", 1<<20)
			q := wire.Request{Verb: test.verb, Key: b("key"), Value: b("x")}
			var a wire.Reply
			err := c.Do(&q, &a)
			if err == nil { // bytes after the answer are found before the next request
				err = c.Do(&q, &a)
			}
			e := requireKind(t, wire.KindProtocol, err)
			require.Less(t, len(e.Message), 1100)
			require.True(t, c.Broken())
			requireKind(t, wire.KindConnection, c.Do(&q, &a))
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		verb         wire.Verb
		answer, kind string
		broken       bool
	}{
		{wire.Get, "ERROR\r\n", wire.KindInvalid, false},
		{wire.Set, "ERROR\r\n", wire.KindInvalid, true}, // the server may take the value for commands
		{wire.Get, "CLIENT_ERROR bad command line format\r\n", wire.KindInvalid, false},
		{wire.Set, "CLIENT_ERROR bad data chunk\r\n", wire.KindInvalid, true},
		{wire.Get, "CLIENT_ERROR unauthenticated\r\n", wire.KindAuth, true},
		{wire.Set, "SERVER_ERROR object too large for cache\r\n", wire.KindTooLarge, false},
		{wire.Set, "SERVER_ERROR out of memory storing object\r\n", wire.KindFull, false},
		{wire.Set, "SERVER_ERROR out of memory\r\n", wire.KindFull, true},
		{wire.Get, "SERVER_ERROR out of memory writing get response\r\n", wire.KindFull, false},
		{wire.Get, "SERVER_ERROR backend is gone\r\n", wire.KindServer, false},
		{wire.Set, "SERVER_ERROR\r\n", wire.KindServer, true},
		{wire.Increment, "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n", wire.KindInvalid, false},
	} {
		for name, protocol := range protocols {
			t.Run(name+" "+test.answer, func(t *testing.T) {
				c, _ := answers(t, protocol, test.answer, 0)
				var a wire.Reply
				q := wire.Request{Verb: test.verb, Key: b("key"), Value: b("x")}
				requireKind(t, test.kind, c.Do(&q, &a))
				require.Equal(t, test.broken, c.Broken())
				require.Zero(t, a.Status)
			})
		}
	}
}

func TestValuesThatAreNotRead(t *testing.T) {
	for protocol, answer := range map[wire.Protocol]string{wire.Text: "VALUE key 0 101\r\n", wire.Meta: "VA 101 f0 O1\r\n"} {
		c, _ := answers(t, protocol, answer, 100)
		e := requireKind(t, wire.KindTooLarge, c.Do(&wire.Request{Verb: wire.Get, Key: b("key")}, &wire.Reply{}))
		require.Equal(t, "the server announced a value of 101 bytes: at most 100 are accepted", e.Message)
		require.True(t, c.Broken())
	}
}

func TestInvalidStats(t *testing.T) {
	c, sent := answers(t, wire.Text, "END\r\n", 100)
	for _, argument := range []string{"cachedump 1 10", " cachedump", "detail dump", "detail  dump"} {
		_, err := c.Stats(argument)
		requireKind(t, wire.KindUsage, err)
	}
	require.Zero(t, sent.Len())
	_, err := c.Stats("detail off")
	require.NoError(t, err)
}

func TestRequestsThatAreNotSent(t *testing.T) {
	long := strings.Repeat("k", 251)
	for _, test := range []struct {
		request  wire.Request
		protocol wire.Protocol
		kind     string
		want     string
	}{
		{wire.Request{}, wire.Text, wire.KindUsage, "there is no verb 0"},
		{wire.Request{Verb: 200}, wire.Text, wire.KindUsage, "there is no verb 200"},
		{wire.Request{Verb: wire.Get}, wire.Text, wire.KindUsage, "the key is empty: it must have 1 to 250 bytes"},
		{wire.Request{Verb: wire.Get, Key: b(long)}, wire.Meta, wire.KindUsage, "the key has 251 bytes: at most 250 are allowed"},
		{wire.Request{Verb: wire.Get, Key: b("a b")}, wire.Text, wire.KindUsage,
			`the key "a b" has a space or a control character: only the meta protocol can send it`},
		{wire.Request{Verb: wire.Delete, Key: b("a\r\nflush_all")}, wire.Text, wire.KindUsage,
			`the key "a\r\nflush_all" has a space or a control character: only the meta protocol can send it`},
		{wire.Request{Verb: wire.Get, Key: b(strings.Repeat(" ", 187))}, wire.Meta, wire.KindUsage,
			"the key has 187 bytes, a space or a control character among them: then at most 186 are allowed"},
		{wire.Request{Verb: wire.Set, Key: b("k"), Value: make([]byte, 101)}, wire.Text, wire.KindTooLarge,
			"the value has 101 bytes: at most 100 are sent"},
		{wire.Request{Verb: wire.MetaGet, Key: b("k"), Meta: b("v q")}, wire.Text, wire.KindUsage,
			"the flag q cannot be used: every request here waits for its reply"},
		{wire.Request{Verb: wire.MetaGet, Key: b("k"), Meta: b("b")}, wire.Text, wire.KindUsage,
			"the flag b cannot be used: it is set for a key that needs it"},
		{wire.Request{Verb: wire.MetaGet, Key: b("k"), Meta: b("v\r\nflush_all")}, wire.Text, wire.KindUsage,
			`the flags "v\r\nflush_all" must be letters, some with a value, separated by one space: "v t T30"`},
		{wire.Request{Verb: wire.MetaGet, Key: b("k"), Meta: b("v  t")}, wire.Text, wire.KindUsage,
			`the flags "v  t" must be letters, some with a value, separated by one space: "v t T30"`},
		{wire.Request{Verb: wire.MetaGet, Key: b("k"), Meta: b("O" + strings.Repeat("1", 600))}, wire.Text, wire.KindUsage,
			"the flags have 601 bytes: at most 512 are allowed"},
	} {
		t.Run(test.want, func(t *testing.T) {
			c, sent := answers(t, test.protocol, "", 100)
			var a wire.Reply
			require.Equal(t, test.want, requireKind(t, test.kind, c.Do(&test.request, &a)).Message)
			require.Empty(t, sent.String())
			require.False(t, c.Broken())
		})
	}
}

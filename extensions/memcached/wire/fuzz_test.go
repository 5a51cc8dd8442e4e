package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

const fuzzedMaxValue = 1 << 16

func requireSound(t *testing.T, err error, replies ...wire.Reply) {
	t.Helper()
	var e *wire.Error
	require.True(t, err == nil || errors.As(err, &e), "%v", err)
	for _, a := range replies {
		if a.Err == nil && err == nil {
			require.NotZero(t, a.Status)
		}
		require.LessOrEqual(t, len(a.Value), fuzzedMaxValue)
	}
}

func FuzzAnswer(f *testing.F) {
	for protocol, exchanges := range map[wire.Protocol][]exchanged{
		wire.Text: append(textExchanges(), commonExchanges()...), wire.Meta: append(metaExchanges(), commonExchanges()...),
	} {
		for _, x := range exchanges {
			f.Add(uint8(protocol), uint8(x.request.Verb), []byte(x.answer))
		}
	}
	f.Add(uint8(0), uint8(wire.Get), []byte("VALUE key 0 65536\r\n"))
	f.Add(uint8(0), uint8(wire.Get), []byte("VALUE key 0 18446744073709551615\r\n"))
	f.Add(uint8(1), uint8(wire.Get), []byte("VA 65536 O1\r\n"))
	f.Add(uint8(0), uint8(wire.Set), []byte("SERVER_ERROR \xff\xfe\r\n"))
	f.Fuzz(func(t *testing.T, protocol, verb uint8, answer []byte) {
		q := wire.Request{Verb: wire.Verb(verb), Key: b("key"), Value: b("v")}
		c, _ := answers(t, wire.Protocol(protocol%2), string(answer), fuzzedMaxValue)
		var a wire.Reply
		err := c.Do(&q, &a)
		requireSound(t, err, a)

		replies := make([]wire.Reply, 3)
		c, _ = answers(t, wire.Protocol(protocol%2), string(answer), fuzzedMaxValue)
		requireSound(t, c.Pipeline([]wire.Request{q, q, q}, replies), replies...)
		if err == nil {
			require.Equal(t, a.Status, replies[0].Status)
			require.True(t, bytes.Equal(a.Value, replies[0].Value))
		}
	})
}

func FuzzGetMulti(f *testing.F) {
	for _, answer := range []string{
		"END\r\n", "VALUE a 0 1\r\nx\r\nEND\r\n", "VALUE a 1 0\r\n\r\nVALUE c 2 1\r\nx\r\nEND\r\n", "VALUE b 0 1\r\nx\r\nVALUE a 0 1\r\nx\r\nEND\r\n",
		"VALUE a 0 1\r\nx\r\nSERVER_ERROR out of memory\r\n", "EN O1\r\nVA 1 f0 O2\r\nx\r\nEN O3\r\n",
	} {
		f.Add([]byte(answer))
	}
	several := [][]byte{b("a"), b("b"), b("c")}
	f.Fuzz(func(t *testing.T, answer []byte) {
		for _, protocol := range protocols {
			c, _ := answers(t, protocol, string(answer), fuzzedMaxValue)
			replies := make([]wire.Reply, len(several))
			requireSound(t, c.GetMulti(several, replies), replies...)
		}
	})
}

func FuzzStats(f *testing.F) {
	for _, answer := range []string{"END\r\n", "STAT pid 1\r\nEND\r\n", "STAT a\r\nRESET\r\n", "STAT  \r\nSTAT x y z\r\n", "ERROR\r\n"} {
		f.Add([]byte(answer))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		c, _ := answers(t, wire.Text, string(answer), fuzzedMaxValue)
		stats, err := c.Stats("")
		requireSound(t, err)
		require.LessOrEqual(t, len(stats), len(answer)/len("STAT \r\n"))
	})
}

func FuzzRequest(f *testing.F) {
	f.Add(uint8(0), uint8(wire.Get), []byte("key"), []byte(""))
	f.Add(uint8(1), uint8(wire.Set), []byte("a\r\nflush_all"), []byte(""))
	f.Add(uint8(0), uint8(wire.MetaGet), []byte(" "), []byte("v t T30"))
	f.Add(uint8(0), uint8(wire.MetaSet), []byte("k"), []byte("T0\r\nflush_all"))
	f.Add(uint8(0), uint8(wire.Version), []byte("\n"), []byte("\n"))
	f.Fuzz(func(t *testing.T, protocol, verb uint8, key, meta []byte) {
		q := wire.Request{Verb: wire.Verb(verb), Key: key, Meta: meta, Value: b("VALUE")}
		c, sent := answers(t, wire.Protocol(protocol%2), "", fuzzedMaxValue)
		err := c.Do(&q, &wire.Reply{})
		requireSound(t, err)
		line, rest, found := strings.Cut(sent.String(), "\r\n")
		if !found {
			var e *wire.Error
			require.True(t, errors.As(err, &e))
			require.Equal(t, wire.KindUsage, e.Kind)
			require.Empty(t, line)

			return
		}
		require.NotContains(t, line, "\n")
		require.NotContains(t, line, "\r")
		require.NotContains(t, line, "  ")
		require.Contains(t, []string{"", "VALUE\r\n"}, rest)
	})
}

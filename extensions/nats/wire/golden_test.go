package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// INBOX stands for the request's inbox.
type exchanged struct {
	do           func(c *Conn) (string, error)
	sent, answer string
	want, kind   string
}

func asks(header []byte, data string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		m, err := c.Request("a.b", header, []byte(data), time.Minute)

		return string(m.Data), err
	}
}

func gets(c *Conn) (string, error) {
	value, found, err := c.Get(NewBucket("b"), []byte("KEY="), time.Minute)
	if err == nil && !found {
		return "none", nil
	}

	return string(value), err
}

func puts(c *Conn) (string, error) {
	return "", c.Put(NewBucket("b"), []byte("KEY="), []byte("va\r\nue"), time.Minute)
}

func deletes(c *Conn) (string, error) {
	return "", c.Delete(NewBucket("b"), []byte("KEY="), time.Minute)
}

func purges(c *Conn) (string, error) { return "", c.Purge(NewBucket("b"), []byte("KEY="), time.Minute) }

func looks(c *Conn) (string, error) {
	facing, err := c.LookUp("b", time.Minute)

	return []string{"missing", "direct", "otherwise"}[facing], err
}

const (
	sentGet  = "PUB $JS.API.DIRECT.GET.KV_b.$KV.b.KEY= INBOX 0\r\n\r\n"
	sentPut  = "PUB $KV.b.KEY= INBOX 6\r\nva\r\nue\r\n"
	sentLook = "PUB $JS.API.STREAM.INFO.KV_b INBOX 0\r\n\r\n"
	sentAsk  = "PUB a.b INBOX 5\r\nhello\r\n"
	noOne    = "NATS/1.0 503\r\n\r\n"
	missing  = "NATS/1.0 404 Message Not Found\r\n\r\n"
)

func exchanges() map[string]exchanged {
	hello := asks(nil, "hello")

	return map[string]exchanged{
		"request":              {do: hello, sent: sentAsk, answer: message("wor\r\nld"), want: "wor\r\nld"},
		"request of nothing":   {do: asks(nil, ""), sent: "PUB a.b INBOX 0\r\n\r\n", answer: message(""), want: ""},
		"answer with a header": {do: hello, sent: sentAsk, answer: headed("NATS/1.0\r\nA: b\r\n\r\n", "x"), want: "x"},
		"answer with a reply":  {do: hello, sent: sentAsk, answer: "MSG INBOX 1 re.ply 2\r\nok\r\n", want: "ok"},
		"words of other case":  {do: hello, sent: sentAsk + "PONG\r\n", answer: "ping\r\nmsg\tINBOX  1\t2 \r\nok\r\n", want: "ok"},
		"request with a header": {
			do:   asks(EncodeHeader(EncodeHeader(nil, "A", " b\r\nc "), "D", "e"), "x"),
			sent: "HPUB a.b INBOX 27 28\r\nNATS/1.0\r\nA: b  c\r\nD: e\r\n\r\nx\r\n", answer: message("ok"), want: "ok",
		},
		"a PING before":     {do: hello, sent: sentAsk + "PONG\r\n", answer: "PING\r\n+OK\r\nPONG\r\n" + message("ok"), want: "ok"},
		"an INFO before":    {do: hello, sent: sentAsk, answer: `INFO {"max_payload":9}` + "\r\n" + message("ok"), want: "ok"},
		"one too late":      {do: hello, sent: sentAsk, answer: "MSG INBOX.not 1 3\r\nold\r\n" + message("new"), want: "new"},
		"nobody listens":    {do: hello, sent: sentAsk, answer: headed(noOne, ""), kind: KindNoResponders, want: "no responders"},
		"503 with data":     {do: hello, sent: sentAsk, answer: headed(noOne, "x"), want: "x"},
		"may not":           {do: hello, sent: sentAsk, answer: "-ERR 'Permissions Violation for Publish to \"a.b\"'\r\n", kind: KindAuth, want: "Permissions Violation for Publish to \"a.b\""},
		"might not before":  {do: hello, sent: sentAsk, answer: "-ERR 'Permissions Violation for Publish to \"a.b.c\"'\r\n" + message("ok"), want: "ok"},
		"may not any more":  {do: hello, sent: sentAsk, answer: "-ERR 'User Authentication Expired'\r\n", kind: KindAuth, want: "User Authentication Expired"},
		"too many":          {do: hello, sent: sentAsk, answer: "-ERR 'maximum connections exceeded'\r\n", kind: KindBusy, want: "maximum connections exceeded"},
		"stale":             {do: hello, sent: sentAsk, answer: "-ERR 'Stale Connection'\r\n", kind: KindConnection, want: "Stale Connection"},
		"too large a line":  {do: hello, sent: sentAsk, answer: "MSG INBOX 1 8388609\r\n", kind: KindProtocol, want: "a message of 8388609 bytes: at most 8388608 are accepted"},
		"no size":           {do: hello, sent: sentAsk, answer: "MSG INBOX 1\r\n", kind: KindProtocol, want: "which violates the protocol"},
		"too many words":    {do: hello, sent: sentAsk, answer: "MSG INBOX 1 a b 1\r\nx\r\n", kind: KindProtocol, want: "which violates the protocol"},
		"header of more":    {do: hello, sent: sentAsk, answer: "HMSG INBOX 1 9 8\r\nNATS/1.0\r\n", kind: KindProtocol, want: "which violates the protocol"},
		"no end":            {do: hello, sent: sentAsk, answer: "MSG INBOX 1 2\r\nabcd\r\n", kind: KindProtocol, want: "does not end where it should"},
		"nonsense":          {do: hello, sent: sentAsk, answer: "HTTP/1.1 400 Bad Request\r\n", kind: KindProtocol, want: "violates the protocol"},
		"an endless line":   {do: hello, sent: sentAsk, answer: "-ERR " + strings.Repeat("e", MaxLine), kind: KindProtocol, want: "a line of more than 1048576 bytes"},
		"INFO of no JSON":   {do: hello, sent: sentAsk, answer: "INFO {\r\n", kind: KindProtocol, want: "the server's INFO cannot be read"},
		"the end":           {do: hello, sent: sentAsk, answer: "", kind: KindConnection, want: "the server closed it"},
		"the end amid":      {do: hello, sent: sentAsk, answer: "MSG INBOX 1 10\r\nab", kind: KindConnection, want: "the server closed it"},
		"get":               {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", ""), "va\r\nue"), want: "va\r\nue"},
		"get of nothing":    {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", ""), ""), want: ""},
		"get of no key":     {do: gets, sent: sentGet, answer: headed(missing, ""), want: "none"},
		"get of a deleted":  {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", "KV-Operation: DEL\r\n"), ""), want: "none"},
		"get of a purged":   {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", "KV-Operation:PURGE\r\n"), ""), want: "none"},
		"get of an expired": {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", "Nats-Marker-Reason: MaxAge\r\n"), ""), want: "none"},
		"get of a put":      {do: gets, sent: sentGet, answer: headed(recordHeader("KEY=", "KV-Operation: PUT\r\nNats-Marker-Reason: MaxAge\r\n"), "x"), want: "x"},
		"get refused":       {do: gets, sent: sentGet, answer: headed("NATS/1.0 408 Bad Request\r\n\r\n", ""), kind: KindServer, want: "status 408: Bad Request"},
		"get of another":    {do: gets, sent: sentGet, answer: headed(recordHeader("OTHER", ""), "x"), kind: KindProtocol, want: "does not fit a get of $KV.b.KEY="},
		"get without head":  {do: gets, sent: sentGet, answer: message("x"), kind: KindProtocol, want: "does not fit a get"},
		"get of half a head": {
			do: gets, sent: sentGet, answer: headed("NATS/1.0\r\nNats-Stream: KV_b\r\n", "x"), kind: KindProtocol, want: "does not fit a get",
		},
		"get of nobody":   {do: gets, sent: sentGet, answer: headed(noOne, ""), kind: KindNoResponders, want: "no responders"},
		"put":             {do: puts, sent: sentPut, answer: message(`{"stream":"KV_b", "seq":12}`)},
		"put, since 2.15": {do: puts, sent: sentPut, answer: message(`{"stream":"KV_b","seq":12}`)},
		"put, otherwise": {
			do: puts, sent: sentPut, answer: message(`{"stream":"KV_b","domain":"d", "seq":18446744073709551615,"duplicate":true}`),
		},
		"put refused": {
			do: puts, sent: sentPut, answer: message(`{"error":{"code":503,"err_code":10077,"description":"maximum bytes exceeded"},"stream":"KV_b","seq":0}`),
			kind: KindServer, want: "maximum bytes exceeded",
		},
		"put elsewhere":  {do: puts, sent: sentPut, answer: message(`{"stream":"KV_c", "seq":12}`), kind: KindProtocol, want: "not an acknowledgement of stream KV_b"},
		"put of a half":  {do: puts, sent: sentPut, answer: message(`{"stream":"KV_b", "seq":1x}`), kind: KindProtocol, want: "not an acknowledgement"},
		"put of nothing": {do: puts, sent: sentPut, answer: message(``), kind: KindProtocol, want: "not an acknowledgement"},
		"put of nobody":  {do: puts, sent: sentPut, answer: headed(noOne, ""), kind: KindNoResponders, want: "no response from stream"},
		"delete": {
			do: deletes, sent: "HPUB $KV.b.KEY= INBOX 31 31\r\nNATS/1.0\r\nKV-Operation: DEL\r\n\r\n\r\n", answer: message(`{"stream":"KV_b", "seq":1}`),
		},
		"purge": {
			do: purges, sent: "HPUB $KV.b.KEY= INBOX 51 51\r\nNATS/1.0\r\nKV-Operation: PURGE\r\nNats-Rollup: sub\r\n\r\n\r\n",
			answer: message(`{"stream":"KV_b", "seq":1}`),
		},
		"bucket":            {do: looks, sent: sentLook, answer: message(`{"config":{"allow_direct":true,"max_msgs_per_subject":1}}`), want: "direct"},
		"bucket of others":  {do: looks, sent: sentLook, answer: message(`{"config":{"max_msgs_per_subject":1}}`), want: "otherwise"},
		"bucket that is no": {do: looks, sent: sentLook, answer: message(`{"config":{"allow_direct":true,"max_msgs_per_subject":-1}}`), want: "otherwise"},
		"bucket that mirrors": {
			do: looks, sent: sentLook, answer: message(`{"config":{"allow_direct":true,"max_msgs_per_subject":1,"mirror":{"name":"KV_c"}}}`),
			want: "otherwise",
		},
		"no bucket": {do: looks, sent: sentLook, answer: message(`{"error":{"code":404,"err_code":10059,"description":"stream not found"}}`), want: "missing"},
		"bucket refused": {
			do: looks, sent: sentLook, answer: message(`{"error":{"code":503,"err_code":10039,"description":"not enabled"}}`), kind: KindServer, want: "not enabled",
		},
		"bucket of nonsense": {do: looks, sent: sentLook, answer: message(`{}`), kind: KindProtocol, want: "does not describe a stream"},
	}
}

func TestExchanges(t *testing.T) {
	for name, x := range exchanges() {
		t.Run(name, func(t *testing.T) {
			c, script := answers(t, x.answer)
			got, err := x.do(c)
			sent := strings.ReplaceAll(script.sent.String(), string(c.inbox), "INBOX")
			require.Equal(t, "SUB "+string(c.inbox[:len(c.inbox)-tokenDigits])+"* 1\r\n"+x.sent, sent)
			if x.kind != "" {
				require.Contains(t, requireKind(t, x.kind, err), x.want)

				return
			}
			require.NoError(t, err)
			require.Equal(t, x.want, got)
			require.False(t, c.Broken())
		})
	}
}

func TestCodeOfJetStream(t *testing.T) {
	c, _ := answers(t, exchanges()["put refused"].answer)
	_, err := puts(c)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 10077, e.Code)
	require.False(t, c.Broken())
}

func TestBroken(t *testing.T) {
	for name, want := range map[string]bool{
		"nonsense": true, "no end": true, "the end": true, "stale": true, "may not any more": true, "an endless line": true,
		"may not": false, "nobody listens": false, "get of another": false, "put elsewhere": false,
	} {
		x := exchanges()[name]
		c, _ := answers(t, x.answer)
		_, err := x.do(c)
		require.Error(t, err)
		require.Equal(t, want, c.Broken(), name)
		if want {
			_, err := x.do(c)
			requireKind(t, KindConnection, err)
		}
	}
}

func TestNothingIsSentThatCannotBe(t *testing.T) {
	c, script := answers(t, message("ok"))
	for _, subject := range []string{"", "a b", "a\r\nPING"} {
		_, err := c.Request(subject, nil, nil, time.Minute)
		requireKind(t, KindUsage, err)
	}
	_, err := c.Request("a", nil, make([]byte, 1<<20+1), time.Minute)
	requireKind(t, KindTooLarge, err)
	c.headers = false
	_, err = c.Request("a", EncodeHeader(nil, "a", "b"), nil, time.Minute)
	requireKind(t, KindUsage, err)
	require.Empty(t, script.sent.String())
	_, err = c.Request("a", nil, nil, time.Minute)
	require.NoError(t, err)

	require.True(t, IsHeaderName("A-b_1"))
	for _, name := range []string{"", "a b", "a:", "a\r\n", "ä"} {
		require.False(t, IsHeaderName(name), name)
	}
}

func TestTokens(t *testing.T) {
	c, script := answers(t, message("ok"))
	seen := map[string]bool{}
	for range 200 {
		_, err := c.Request("a", nil, nil, time.Minute)
		require.NoError(t, err)
		seen[string(c.inbox)] = true
	}
	require.Len(t, seen, 200)
	require.Equal(t, 1, strings.Count(script.sent.String(), "SUB "))
}

func TestNothingIsAllocated(t *testing.T) {
	b, key, value := NewBucket("b"), []byte("KEY="), make([]byte, 100)
	for name, x := range map[string]struct {
		answer string
		do     func(c *Conn) error
	}{
		"get":     {headed(recordHeader("KEY=", ""), string(value)), func(c *Conn) error { _, _, err := c.Get(b, key, time.Minute); return err }},
		"put":     {message(`{"stream":"KV_b","seq":12}`), func(c *Conn) error { return c.Put(b, key, value, time.Minute) }},
		"purge":   {message(`{"stream":"KV_b", "seq":12}`), func(c *Conn) error { return c.Purge(b, key, time.Minute) }},
		"request": {message("ok"), func(c *Conn) error { _, err := c.Request("a.b", nil, value, time.Minute); return err }},
	} {
		c, _ := answers(t, "")
		said := &repeated{conn: c, answer: x.answer}
		c.in.from, c.out = said, said
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := x.do(c); err != nil {
				panic(err)
			}
		}), name)
	}
}

type repeated struct {
	conn   *Conn
	answer string
	buffer []byte
}

func (r *repeated) Read(b []byte) (int, error) {
	r.buffer = r.buffer[:0]
	for i := 0; i < len(r.answer); i++ {
		if strings.HasPrefix(r.answer[i:], "INBOX") {
			r.buffer = append(r.buffer, r.conn.inbox...)
			i += len("INBOX") - 1

			continue
		}
		r.buffer = append(r.buffer, r.answer[i])
	}

	return copy(b, r.buffer), nil
}

func (*repeated) Write(b []byte) (int, error) { return len(b), nil }

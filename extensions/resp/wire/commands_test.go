package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestCommands(t *testing.T) {
	key := []byte("k")
	for _, tt := range []struct {
		do         func(c *Conn) (string, error)
		told, says string
		want       string
	}{
		{get("k"), words("get", "k"), bulk("value"), "value"},
		{get("k"), words("get", "k"), bulk(""), ""},
		{get("k"), words("get", "k"), "$-1\r\n", "none"},
		{get("k"), words("get", "k"), bulk("a\r\n$5\r\n+OK\r\n"), "a\r\n$5\r\n+OK\r\n"},
		{get("k"), words("get", "k"), bulk(strings.Repeat("0123456789", 30000)), strings.Repeat("0123456789", 30000)},
		{do(Request{Verb: Set, Key: key, Value: []byte("v")}), words("set", "k", "v"), "+OK\r\n", ""},
		{do(Request{Verb: Set, Key: key, TTL: 70}), words("set", "k", "", "ex", "70"), "+OK\r\n", ""},
		{do(Request{Verb: Delete, Key: key}), words("del", "k"), ":1\r\n", ""},
		{do(Request{Verb: Touch, Key: key, TTL: 5}), words("expire", "k", "5"), ":0\r\n", ""},
		{do(Request{Verb: Touch, Key: key}), words("persist", "k"), ":-1\r\n", ""},
		{multi("a", "b", "c"), words("mget", "a", "b", "c"), "*3\r\n" + bulk("x") + "$-1\r\n" + bulk("yz"), "0=x 2=yz "},
		{multi(), "", "", ""},
		{info(""), words("info"), bulk("# A\r\nb:c\r\n"), "# A\r\nb:c\r\n"},
		{info("memory"), words("info", "memory"), bulk("d:e\r\n"), "d:e\r\n"},
	} {
		for _, cut := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			c, server := connected(t, cut(strings.NewReader(tt.says)))
			got, err := tt.do(c)
			require.NoError(t, err, tt.told)
			require.Equal(t, tt.want, got, tt.told)
			require.Equal(t, tt.told, server.told.String())
			require.False(t, c.Broken())
		}
	}
}

func get(key string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		value, found, err := c.Get([]byte(key), make([]byte, 2, 3))
		if err == nil && !found {
			return "none", nil
		}

		return string(value), err
	}
}

func do(q Request) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) { return "", c.Do(&q) }
}

func multi(names ...string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		var keys [][]byte
		for _, name := range names {
			keys = append(keys, []byte(name))
		}
		all := ""
		_, err := c.GetMulti(keys, nil, func(i int, value []byte) { all += fmt.Sprintf("%d=%s ", i, value) })

		return all, err
	}
}

func info(section string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) { return c.Info(section) }
}

func TestErrorsOfTheServer(t *testing.T) {
	for says, want := range map[string]Error{
		"-ERR no such thing\r\n":                      {Kind: KindServer, Message: "the server says: ERR no such thing"},
		"-OOM command not allowed\r\n":                {Kind: KindFull, Message: "the server says: OOM command not allowed"},
		"-NOPERM this user\r\n":                       {Kind: KindAuth, Message: "the server says: NOPERM this user"},
		"-\x1b\xff\r\n":                               {Kind: KindServer, Message: "the server says: \x1b?"},
		"-" + strings.Repeat("longer ", 100) + "\r\n": {Kind: KindServer, Message: "the server says: " + strings.Repeat("longer ", 29)[:200] + "..."},
	} {
		for _, run := range []func(c *Conn) (string, error){get("k"), do(Request{Verb: Set}), do(Request{Verb: Delete}), multi("k"), info("")} {
			c, _ := connected(t, &inTwo{strings.NewReader(says), strings.NewReader(bulk("next"))})
			_, err := run(c)
			said, is := errors.AsType[*Error](err)
			require.True(t, is)
			require.Equal(t, want, Error{Kind: said.Kind, Message: said.Message}, says)
			require.False(t, c.Broken())
			got, err := get("k")(c)
			require.NoError(t, err)
			require.Equal(t, "next", got)
		}
	}
}

func TestInvalidReplies(t *testing.T) {
	for _, tt := range []struct {
		do         func(c *Conn) (string, error)
		says, want string
	}{
		{get("k"), "$9223372036854775800\r\n", "the server announces a string of 9223372036854775800 bytes: at most 536870912 are accepted"},
		{get("k"), "$536870913\r\nx", "the server announces a string of 536870913 bytes"},
		{get("k"), "$99999999999999999999999999\r\n", "the server announces a string of 99999999999999999999999999 bytes"},
		{get("k"), "$-2\r\n", `the server's reply has an invalid length: "-2"`},
		{get("k"), "$+5\r\nhello\r\n", "an invalid length"},
		{get("k"), "$1e9\r\n", "an invalid length"},
		{get("k"), "$\r\n", "an invalid length"},
		{get("k"), "$5\nhello\r\n", "which is not RESP 2"},
		{get("k"), "$4\r\nhello\r\n", "the server sent a string that is longer than the 4 bytes it announced"},
		{get("k"), "*1\r\n$5\r\nhello\r\n", `the server's reply is "*1", but a reply of type '$' was expected`},
		{get("k"), "+OK\r\n", `the server's reply is "+OK", but a reply of type '$' was expected`},
		{do(Request{Verb: Set}), "$-1\r\n", `the server's reply is "$-1", but a reply of type '+' was expected`},
		{do(Request{Verb: Delete}), ":1x\r\n", `the server's reply has an invalid number: "1x"`},
		{do(Request{Verb: Delete}), ":--1\r\n", "an invalid number"},
		{multi("k"), "*9223372036854775800\r\n", "the server announces an array of 9223372036854775800 elements: at most 1000000 are accepted"},
		{multi("k"), "*2\r\n", "the server sent 2 values for 1 keys"},
		{multi("k"), "*-1\r\n", "the server sent 0 values for 1 keys"},
		{multi("k"), "*1\r\n*1\r\n", `the server's reply is "*1", but a reply of type '$' was expected`},
		{multi("k"), "*1\r\n-ERR no\r\n", "the server says: ERR no"},
		{get("k"), "|1\r\n+a\r\n", "which is not RESP 2"},
		{get("k"), "HTTP/1.1 400 Bad Request\r\n", `the server's reply begins with "HTTP/1.1 400 Bad Request", which is not RESP 2`},
		{get("k"), "\r\n", "which is not RESP 2"},
		{get("k"), "-" + strings.Repeat("e", readSize), "the server's reply has a line of more than 16384 bytes"},
		{get("k"), bulk("v") + "+OK\r\n", ""},
	} {
		c, _ := connected(t, strings.NewReader(tt.says))
		_, err := tt.do(c)
		if tt.want == "" {
			require.NoError(t, err, "%.40q", tt.says)
			tt.want = "the server sent 5 unexpected bytes"
			_, err = tt.do(c)
		}
		require.ErrorContains(t, err, tt.want, "%.40q", tt.says)
		require.True(t, c.Broken(), "%.40q", tt.says)
		_, err = tt.do(c)
		require.ErrorContains(t, err, "an earlier error broke the connection: the connection is closed: ")
		require.ErrorContains(t, err, tt.want)
	}
}

func TestLongStringsThatDoNotCome(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c, _ := connected(t, strings.NewReader("$"+itoa(MaxBulk)+"\r\nx"))
	_, err := get("k")(c)
	require.ErrorContains(t, err, "the server closed it")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(MaxBulk/8))
}

type collected struct {
	requests []Request
	answers  []string
}

func (p *collected) Request(i int) Request { return p.requests[i] }

func (p *collected) Answered(_ int, answer Reply, err error) {
	switch {
	case err != nil:
		p.answers = append(p.answers, err.Error())
	case answer.Type == TypeString:
		p.answers = append(p.answers, string(answer.Text))
	default:
		p.answers = append(p.answers, "")
	}
}

func TestPipeline(t *testing.T) {
	p := &collected{requests: []Request{
		{Verb: Get, Key: []byte("a")}, {Verb: Set, Key: []byte("b"), Value: []byte("c")}, {Verb: Get, Key: []byte("d")},
		{Verb: Delete, Key: []byte("e")}, {Verb: Touch, Key: []byte("f")}, {Verb: Get, Key: []byte("g")},
	}}
	c, server := connected(t, strings.NewReader(bulk("1")+"-OOM full\r\n$-1\r\n:1\r\n-ERR no\r\n"+bulk("2")))
	_, err := c.Pipeline(len(p.requests), p, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"1", "the server says: OOM full", "", "", "the server says: ERR no", "2"}, p.answers)
	require.Equal(t, words("get", "a")+words("set", "b", "c")+words("get", "d")+words("del", "e")+words("persist", "f")+words("get", "g"),
		server.told.String())

	p.answers = nil
	c, _ = connected(t, strings.NewReader(bulk("1")+"+OK\r\n"))
	_, err = c.Pipeline(len(p.requests), p, nil)
	require.EqualError(t, err, "the connection broke: the server closed it")
	require.Equal(t, []string{"1", ""}, p.answers, "what has been answered stands")
}

// A server may block on writing answers until the client reads them. So a long pipeline is sent in
// parts.
func TestLongPipeline(t *testing.T) {
	ours, servers := net.Pipe()
	go func() {
		defer servers.Close()
		unread := make(chan []byte, 1)
		go func() {
			defer close(unread)
			for {
				part := make([]byte, runBytes)
				n, err := servers.Read(part)
				if err != nil {
					return
				}
				unread <- part[:n]
			}
		}()
		for part := range unread {
			for range strings.Count(string(part), "PING\r\n") + strings.Count(string(part), "ping\r\n") {
				_, _ = io.WriteString(servers, "+PONG\r\n")
			}
			for range strings.Count(string(part), "set\r\n") {
				_, _ = io.WriteString(servers, "+OK\r\n")
			}
		}
	}()
	c, err := Dial(t.Context(), &Config{
		Timeout: 20 * time.Second, ConnectTimeout: 20 * time.Second,
		Dial: func(context.Context, string, string) (net.Conn, error) { return ours, nil },
	})
	require.NoError(t, err)
	defer c.Close()
	p := &collected{}
	for range 2000 {
		p.requests = append(p.requests, Request{Verb: Set, Key: []byte("k"), Value: []byte(strings.Repeat("v", 1000))})
	}
	_, err = c.Pipeline(len(p.requests), p, nil)
	require.NoError(t, err)
	require.Len(t, p.answers, 2000)
}

func TestNothingIsAllocated(t *testing.T) {
	answers := bulk(strings.Repeat("v", 100)) + "+OK\r\n"
	c, server := connected(t, &repeating{text: answers})
	key, value := []byte("key"), make([]byte, 0, 100)
	set := Request{Verb: Set, Key: key, Value: []byte("value"), TTL: 5}
	server.told.Grow(1 << 20)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		_, found, err := c.Get(key, value)
		if !found || err != nil || c.Do(&set) != nil {
			t.Error(found, err)
		}
	}))
}

type repeating struct {
	text string
	at   int
}

func (r *repeating) Read(b []byte) (int, error) {
	end := strings.IndexByte(r.text, '+')
	part := r.text[:end]
	if r.at++; r.at%2 == 0 {
		part = r.text[end:]
	}

	return copy(b, part), nil
}

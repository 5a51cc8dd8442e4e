package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Slots from the cluster specification, and from CLUSTER KEYSLOT of Redis 8.
func TestSlot(t *testing.T) {
	for key, want := range map[string]int{
		"": 0, "123456789": 0x31c3, "foo": 12182, "bar": 5061, "hello": 866, "key:000000000000": Slot([]byte("x{key:000000000000}y")),
		"{user1000}.following": Slot([]byte("user1000")), "{user1000}.followers": Slot([]byte("user1000")),
		"foo{bar}{zap}": 5061, "foo{{bar}}zap": Slot([]byte("{bar")),
	} {
		require.Equal(t, want, Slot([]byte(key)), key)
	}
	require.NotEqual(t, Slot([]byte("")), Slot([]byte("foo{}{bar}")), "an empty tag is none")
	require.NotEqual(t, 5061, Slot([]byte("foo{}{bar}")))
	require.NotEqual(t, 5061, Slot([]byte("foo{bar")))
}

func FuzzSlot(f *testing.F) {
	f.Add("foo", "{bar}")
	f.Add("a{", "}b")
	f.Fuzz(func(t *testing.T, key, around string) {
		slot := Slot([]byte(key))
		if slot < 0 || slot >= Slots {
			t.Fatalf("slot %d", slot)
		}
		if key == "" || strings.ContainsAny(key, "{}") || strings.Contains(around, "{") {
			return
		}
		if tagged := Slot([]byte(around + "{" + key + "}" + around)); tagged != slot {
			t.Fatalf("slot %d with a tag, and %d without", tagged, slot)
		}
		crc := 0
		for _, b := range []byte(key) {
			for bit := 7; bit >= 0; bit-- {
				carry := crc>>15&1 ^ int(b)>>bit&1
				if crc = crc << 1 & 0xffff; carry == 1 {
					crc ^= 0x1021
				}
			}
		}
		if crc%Slots != slot {
			t.Fatalf("slot %d, where bit by bit it is %d", slot, crc%Slots)
		}
	})
}

const oneRange = "*1\r\n*3\r\n:0\r\n:5460\r\n*4\r\n$9\r\n127.0.0.1\r\n:7000\r\n$2\r\nid\r\n*0\r\n"

func slots(c *Conn) (string, error) {
	all := ""
	err := c.ClusterSlots(func(first, last int, address string) { all += fmt.Sprintf("%d-%d %s;", first, last, address) })

	return all, err
}

func TestClusterSlots(t *testing.T) {
	for _, tt := range []struct{ says, want, fails string }{
		{says: oneRange, want: "0-5460 127.0.0.1:7000;"},
		{says: "*0\r\n"},
		{ // replicas, metadata, no host, IPv6
			says: "*2\r\n*4\r\n:0\r\n:0\r\n*3\r\n$-1\r\n:1\r\n$1\r\na\r\n*2\r\n$1\r\nb\r\n:2\r\n" +
				"*3\r\n:1\r\n:16383\r\n*4\r\n$3\r\n::1\r\n:2\r\n$1\r\nc\r\n*2\r\n$8\r\nhostname\r\n$1\r\nd\r\n",
			want: "0-0 :1;1-16383 [::1]:2;",
		},
		{says: "-ERR This instance has cluster support disabled\r\n", fails: "the server is no node of a Redis Cluster: leave out the option cluster (the server says: ERR This instance has cluster support disabled"},
		{says: "*1\r\n*2\r\n:0\r\n:1\r\n", fails: "a range of slots with 2 elements"},
		{says: "*1\r\n*3\r\n:0\r\n:16384\r\n", fails: "slot 16384: it must be from 0 to 16383"},
		{says: "*1\r\n*3\r\n:-1\r\n:1\r\n", fails: "slot -1: it must be from 0 to 16383"},
		{says: "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n", fails: "slots from 2 to 1"},
		{says: "*1\r\n*3\r\n:0\r\n:1\r\n*1\r\n$1\r\na\r\n", fails: "an address with 1 elements"},
		{says: "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:65536\r\n", fails: "port 65536"},
		{says: "*1\r\n-ERR no\r\n", fails: "the connection is closed: the server says: ERR no"},
	} {
		c, server := connected(t, strings.NewReader(tt.says))
		got, err := slots(c)
		require.Equal(t, words("cluster", "slots"), server.told.String())
		if tt.fails != "" {
			require.ErrorContains(t, err, tt.fails, tt.says)

			continue
		}
		require.NoError(t, err, tt.says)
		require.Equal(t, tt.want, got)
	}
}

func TestRedirects(t *testing.T) {
	for says, want := range map[string]Error{
		"MOVED 3999 127.0.0.1:6381": {Code: Moved, Slot: 3999, Address: "127.0.0.1:6381"},
		"ASK 0 db:1":                {Code: Ask, Address: "db:1"},
		"MOVED 3 :6381":             {Code: Moved, Slot: 3, Address: ":6381"},
		"MOVED 3 ::1:6381":          {Code: Moved, Slot: 3, Address: "[::1]:6381"},
		"MOVED 16384 a:1":           {Code: Moved},
		"MOVED -1 a:1":              {Code: Moved},
		"MOVED 1 a":                 {Code: Moved},
		"MOVED 1 a:0":               {Code: Moved},
		"MOVED 1 a:65536":           {Code: Moved},
		"MOVED":                     {Code: Moved},
		"CROSSSLOT Keys in request": {Code: CrossSlot},
	} {
		e := parseError([]byte(says))
		require.Equal(t, want, Error{Code: e.Code, Slot: e.Slot, Address: e.Address}, says)
		require.Equal(t, KindUsage, e.Kind)
		require.Equal(t, "the server is a node of a Redis Cluster (it says: "+says+"): give new Client the option cluster: true", e.Message)
	}
}

func TestAsking(t *testing.T) {
	pipelined := func(c *Conn) (string, error) {
		p := &collected{requests: []Request{{Verb: Get, Key: []byte("a")}, {Verb: Any, Words: [][]byte{[]byte("x")}}}}
		_, err := c.Pipeline(len(p.requests), p, nil)

		return strings.Join(p.answers, " "), err
	}
	setHash := func(c *Conn) (string, error) {
		return "", c.SetHash([]byte("k"), []Pair{{[]byte("f"), []byte("v")}}, nil)
	}
	for _, tt := range []struct {
		run        func(c *Conn) (string, error)
		says, want string
	}{
		{get("k"), bulk("v"), "v"},
		{do(Request{Verb: Set, Key: []byte("k")}), "+OK\r\n", ""},
		{multi("a", "b"), "*2\r\n$-1\r\n" + bulk("v"), "1=v "},
		{call("x"), ":5\r\n", "integer 5"},
		{pipelined, bulk("v") + "+w\r\n", "v w"},
		{hash, "*2\r\n" + bulk("f") + bulk("v"), "f=v "},
		{setHash, ":1\r\n", ""},
	} {
		c, server := connected(t, &inTwo{strings.NewReader("+OK\r\n" + tt.says), strings.NewReader(tt.says)})
		c.Asking()
		for range 2 {
			got, err := tt.run(c)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		}
		require.True(t, strings.HasPrefix(server.told.String(), words("asking")))
		require.Equal(t, 1, strings.Count(server.told.String(), "asking"))
	}

	c, _ := connected(t, strings.NewReader("-ERR unknown command\r\n"+bulk("v")))
	c.Asking()
	_, err := get("k")(c)
	require.ErrorContains(t, err, "ERR unknown command")
	require.True(t, c.Broken())
}

func hash(c *Conn) (string, error) {
	all := ""
	_, err := c.GetHash([]byte("k"), nil, nil, func(field, value []byte) { all += string(field) + "=" + string(value) + " " })

	return all, err
}

func call(command ...string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		q := Request{Verb: Any}
		for _, word := range command {
			q.Words = append(q.Words, []byte(word))
		}
		reply, failed := c.do(&q, nil)
		if failed != nil {
			return "", failed
		}

		return reply.Type + " " + string(reply.Text), nil
	}
}

func TestAnyCommand(t *testing.T) {
	nested := strings.Repeat("*1\r\n", maxDepth)
	for says, want := range map[string]string{
		"+OK\r\n": "string OK", ":-12\r\n": "integer -12", bulk("v"): "string v", "$-1\r\n": "null ", "*-1\r\n": "null ", "_\r\n": "null ",
		"(12345678901234567890\r\n": "integer 12345678901234567890", ",1.5e3\r\n": "double 1.5e3", "#t\r\n": "boolean t",
		"=5\r\ntxt:a\r\n": "string a", "*0\r\n": "array ", "*2\r\n:1\r\n*1\r\n" + bulk("x"): "array ", "~1\r\n+a\r\n": "set ",
		"%1\r\n+a\r\n+b\r\n": "map ", "*2\r\n-ERR in it\r\n!3\r\nERR\r\n": "array ", "|1\r\n+a\r\n+b\r\n:5\r\n": "integer 5",
		nested + "+a\r\n": "array ",
	} {
		c, server := connected(t, strings.NewReader(says))
		got, err := call("X", "y z")(c)
		require.NoError(t, err, says)
		require.Equal(t, want, got, says)
		require.Equal(t, words("X", "y z"), server.told.String())
		require.NoError(t, asError(c.inStep()), says)
	}
	for says, want := range map[string]string{
		"-ERR no\r\n": "the server says: ERR no", "!6\r\nERR no\r\n": "the server says: ERR no",
		":1x\r\n": "an invalid number", "*1x\r\n": "an invalid length", "?\r\n": "not RESP", "$?\r\n": "an invalid length",
		"*1000001\r\n": "at most 1000000 are accepted", "%1000000\r\n": "more than 1000000 elements",
		nested + "*1\r\n+a\r\n": "nested more than 32 deep",
	} {
		c, _ := connected(t, strings.NewReader(says))
		_, err := call("x")(c)
		require.ErrorContains(t, err, want, says)
	}
}

func TestRESP3(t *testing.T) {
	for _, tt := range []struct{ user, password, told, says, fails string }{
		{told: words("hello", "3"), says: "%1\r\n+proto\r\n:3\r\n+PONG\r\n"},
		{password: "p", told: words("hello", "3", "auth", "default", "p"), says: "%0\r\n+PONG\r\n"},
		{user: "u", password: "p", told: words("hello", "3", "auth", "u", "p"), says: "%0\r\n+PONG\r\n"},
		{told: words("hello", "3"), says: "-ERR unknown command 'HELLO'\r\n+PONG\r\n", fails: "the server does not speak RESP 3: the server says: ERR unknown command 'HELLO'"},
		{told: words("hello", "3"), says: "-NOPROTO unsupported protocol version\r\n+PONG\r\n", fails: "the server does not speak RESP 3"},
		{told: words("hello", "3"), says: "-NOAUTH Authentication required.\r\n-NOAUTH x\r\n", fails: "the server says: NOAUTH Authentication required."},
	} {
		then := func(text string, next io.Reader) io.Reader { return &inTwo{strings.NewReader(text), next} }
		server := &scripted{says: then(tt.says, then("_\r\n", then("*2\r\n_\r\n$1\r\nv\r\n",
			then("%1\r\n$1\r\nf\r\n$1\r\nv\r\n", strings.NewReader("=7\r\ntxt:a:b\r\n")))))}
		c, err := Dial(t.Context(), &Config{
			RESP3: true, User: tt.user, Password: tt.password, Timeout: time.Minute, ConnectTimeout: time.Minute,
			Dial: func(context.Context, string, string) (net.Conn, error) { return server, nil },
		})
		require.Equal(t, tt.told+words("ping"), server.told.String())
		if tt.fails != "" {
			require.ErrorContains(t, err, tt.fails)

			continue
		}
		require.NoError(t, err)
		for _, tt := range []struct {
			run  func(*Conn) (string, error)
			want string
		}{{get("k"), "none"}, {multi("a", "b"), "1=v "}, {hash, "f=v "}, {info(""), "a:b"}} {
			got, err := tt.run(c)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		}
	}
}

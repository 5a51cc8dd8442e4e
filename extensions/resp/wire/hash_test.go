package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func setHash(index string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		var of []byte
		if index != "" {
			of = []byte(index)
		}

		return "", c.SetHash([]byte("k"), []Pair{{[]byte("f"), []byte("1")}, {[]byte("g"), []byte("22")}}, of)
	}
}

func getHash(names ...string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		said := ""
		_, err := c.GetHash([]byte("k"), fieldsOf(names), nil, func(field, value []byte) { said += fmt.Sprintf("%s=%s ", field, value) })

		return said, err
	}
}

func scan(names ...string) func(c *Conn) (string, error) {
	return func(c *Conn) (string, error) {
		said := ""
		_, err := c.ScanHashes([]byte("all"), []byte("k"), 2, fieldsOf(names), nil,
			func(key []byte) { said += string(key) + ": " }, func(field, value []byte) { said += fmt.Sprintf("%s=%s ", field, value) })

		return said, err
	}
}

func fieldsOf(names []string) (fields [][]byte) {
	for _, name := range names {
		fields = append(fields, []byte(name))
	}

	return fields
}

const resp3 = "RESP 3"

func TestHashes(t *testing.T) {
	t.Parallel()
	set := words("hset", "k", "f", "1", "g", "22")
	keys := words("zrangebylex", "all", "[k", "+", "limit", "0", "2")
	for _, tt := range []struct {
		do         func(c *Conn) (string, error)
		told, says string
		want       string
		protocol   string
	}{
		{do: setHash(""), told: set, says: ":2\r\n"},
		{do: setHash("all"), told: set + words("zadd", "all", "0", "k"), says: ":0\r\n:1\r\n"},
		{do: getHash(), told: words("hgetall", "k"), says: "*4\r\n" + bulk("f") + bulk("1") + bulk("g") + bulk(""), want: "f=1 g= "},
		{do: getHash(), told: words("hgetall", "k"), says: "%2\r\n" + bulk("f") + bulk("1") + bulk("g") + bulk(""), want: "f=1 g= ", protocol: resp3},
		{do: getHash(), told: words("hgetall", "k"), says: "*0\r\n"},
		{do: getHash("f", "g"), told: words("hmget", "k", "f", "g"), says: "*2\r\n$-1\r\n" + bulk("22"), want: "g=22 "},
		{do: scan(), told: keys, says: "*0\r\n"},
		{
			do: scan(), told: keys + words("hgetall", "k") + words("hgetall", "l"),
			says: "*2\r\n" + bulk("k") + bulk("l") + "*2\r\n" + bulk("f") + bulk("1") + "*2\r\n" + bulk("f") + bulk("2"), want: "k: f=1 l: f=2 ",
		},
		{do: scan("g"), told: keys + words("hmget", "k", "g"), says: "*1\r\n" + bulk("k") + "*1\r\n" + bulk("3"), want: "k: g=3 "},
	} {
		for _, cut := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader} {
			c, server := connected(t, cut(strings.NewReader(tt.says)))
			c.resp3 = tt.protocol == resp3
			got, err := tt.do(c)
			require.NoError(t, err, tt.told)
			require.Equal(t, tt.want, got, tt.told)
			require.Equal(t, tt.told, server.told.String())
			require.False(t, c.Broken())
		}
	}
}

func TestHashesThatFail(t *testing.T) {
	t.Parallel()
	const wrong = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"
	for _, tt := range []struct {
		do         func(c *Conn) (string, error)
		says, want string
		broken     bool
	}{
		{do: setHash(""), says: wrong, want: "WRONGTYPE"},
		{do: setHash("all"), says: wrong + ":1\r\n", want: "WRONGTYPE"},
		{do: setHash("all"), says: ":1\r\n" + wrong, want: "WRONGTYPE"},
		{do: getHash(), says: wrong, want: "WRONGTYPE"},
		{do: scan(), says: wrong, want: "WRONGTYPE"},
		{do: scan(), says: "*2\r\n" + bulk("k") + bulk("l") + wrong + "*2\r\n" + bulk("f") + bulk("1"), want: "WRONGTYPE"},
		{do: getHash(), says: "*3\r\n", want: "3 elements of a hash", broken: true},
		{do: getHash(), says: "*-1\r\n", want: "-1 elements of a hash", broken: true},
		{do: getHash("f"), says: "*2\r\n", want: "2 elements of a hash", broken: true},
		{do: getHash(), says: "*2\r\n" + bulk("f") + wrong, want: "WRONGTYPE", broken: true},
		{do: getHash(), says: "*2000000\r\n", want: "at most 500000 are accepted", broken: true},
		{do: getHash(), says: ":1\r\n", want: "but a reply of type", broken: true},
		{do: scan(), says: "*3\r\n", want: "3 keys of a range of 2", broken: true},
		{do: scan(), says: "*1\r\n" + bulk("k") + "*2\r\n" + bulk("f"), want: "the server closed it", broken: true},
	} {
		c, _ := connected(t, strings.NewReader(tt.says))
		_, err := tt.do(c)
		require.ErrorContains(t, err, tt.want, tt.says)
		require.Equal(t, tt.broken, c.Broken(), tt.says)
	}
}

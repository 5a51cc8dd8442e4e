package main

import (
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// traffic is what goes over a connection to a cache.
type traffic struct {
	// get is a request for the key with a number, of twelve digits at digits.
	get    string
	digits int
	// set is a format of writing a key, and stored its answer.
	set, stored string
	// answer is that to a get, the key's number and its value apart.
	answer string
}

// caches are the caches by name.
var caches = map[string]*traffic{ //nolint:gochecknoglobals // a constant
	"memcached": {
		get: "get key:000000000000\r\n", digits: len("get key:"),
		set: "set key:%012d 0 0 100\r\n%s\r\n", stored: "STORED\r\n",
		answer: "VALUE key:000000000000 0 100\r\n" + strings.Repeat("x", size) + "\r\nEND\r\n",
	},
	"redis": {
		get: "*2\r\n$3\r\nget\r\n$16\r\nkey:000000000000\r\n", digits: len("*2\r\n$3\r\nget\r\n$16\r\nkey:"),
		set: "*3\r\n$3\r\nset\r\n$16\r\nkey:%012d\r\n$100\r\n%s\r\n", stored: "+OK\r\n",
		answer: "$100\r\n" + strings.Repeat("x", size) + "\r\n",
	},
}

// openCache connects. The first client writes all keys.
func openCache(t *traffic, address string, number int) (*net.TCPConn, exchange, error) {
	conn, err := dial(address)
	if err == nil && number == 0 {
		if err = t.fill(conn); err != nil {
			_ = conn.Close() // the first error is the one to tell
		}
	}

	return conn, exchange{request: []byte(t.get), digits: t.digits, answer: len(t.answer)}, err
}

func (t *traffic) fill(conn net.Conn) error {
	value := strings.Repeat("x", size)
	stored := make([]byte, len(t.stored))
	for i := range keys {
		if err := conn.SetDeadline(time.Now().Add(within)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(conn, t.set, i, value); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, stored); err != nil || string(stored) != t.stored {
			return fmt.Errorf("key %d cannot be written: %q, %w", i, stored, err)
		}
	}

	return conn.SetDeadline(time.Time{})
}

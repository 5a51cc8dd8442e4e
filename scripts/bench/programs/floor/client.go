package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// As many keys as k6 is given, with values of the same size.
const (
	keys = 10_000
	size = 100 // bytes
)

// within is how long an answer may take before it fails.
const within = time.Minute

// traffic is what goes over a connection.
type traffic struct {
	// get is a request for the key with a number, of twelve digits at digits.
	get    string
	digits int
	// set is a format of writing a key, and stored its answer.
	set, stored string
	// answer is that to a get, the key's number and its value apart.
	answer string
}

// servers are the kinds of server, by name.
var servers = map[string]*traffic{ //nolint:gochecknoglobals // a constant
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

// client is one connection.
type client struct {
	*traffic
	conn            net.Conn
	request, answer []byte
	random          *rand.Rand
}

// connect opens a client's own connection. The first one writes all keys.
func (s settings) connect(number int) (crew.Work, error) {
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	t := servers[s.server]
	c := &client{
		traffic: t, conn: conn, request: []byte(t.get), answer: make([]byte, len(t.answer)),
		random: rand.New(rand.NewPCG(1, uint64(number))),
	}
	if number > 0 {
		return c, nil
	}
	if err := c.fill(); err != nil {
		_ = conn.Close() // the first error is the one to tell
		return nil, err
	}
	return c, nil
}

func (c *client) fill() error {
	value := strings.Repeat("x", size)
	stored := make([]byte, len(c.stored))
	for i := range keys {
		if err := c.conn.SetDeadline(time.Now().Add(within)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(c.conn, c.set, i, value); err != nil {
			return err
		}
		if _, err := io.ReadFull(c.conn, stored); err != nil || string(stored) != c.stored {
			return fmt.Errorf("key %d cannot be written: %q, %w", i, stored, err)
		}
	}
	return c.conn.SetDeadline(time.Time{})
}

// Operation asks for a key that it draws, and takes as many bytes as the answer has.
func (c *client) Operation() (int64, error) {
	n := c.random.IntN(keys)
	for i := c.digits + 11; n > 0; i-- {
		c.request[i] = byte('0' + n%10)
		n /= 10
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return 0, err
	}
	_, err := io.ReadFull(c.conn, c.answer)
	copy(c.request[c.digits:], "000000000000")
	return 1, err
}

// End has nothing to do.
func (c *client) End() error { return nil }

// Close closes the connection.
func (c *client) Close() error { return c.conn.Close() }

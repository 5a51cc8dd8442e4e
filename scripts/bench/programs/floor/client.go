package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"time"
)

// As many keys as k6 is given, with values of the same size.
const (
	keys = 10_000
	size = 100 // bytes
)

// within is how long an answer may take before it fails.
const within = time.Minute

// exchange is what an operation sends and takes.
type exchange struct {
	request []byte
	// digits is where in the request the twelve digits of a key's number are; 0 where the request
	// is always the same.
	digits int
	// answer is how many bytes come.
	answer int
	// again is how often that is done once more for an operation, one after another.
	again int
}

// client is one connection.
type client struct {
	exchange
	conn *net.TCPConn
	// room takes the answer.
	room   []byte
	random *rand.Rand
}

// connect opens a client's own connection. The first one writes all keys.
func (s *settings) connect(number int) (*client, error) {
	var conn *net.TCPConn
	var x exchange
	var err error
	switch s.server {
	case "machbase":
		conn, x, err = openMachbase(s.address)
	case "nats":
		conn, x, err = s.connectNats(number)
	default:
		conn, x, err = openCache(caches[s.server], s.address, number)
	}
	if err != nil {
		return nil, err
	}

	return &client{exchange: x, conn: conn, room: make([]byte, x.answer), random: rand.New(rand.NewPCG(1, uint64(number)))}, nil
}

// connectNats returns a client's connection. The first call begins to open those of all.
func (s *settings) connectNats(number int) (*net.TCPConn, exchange, error) {
	if number == 0 {
		var err error
		if s.nats, err = s.openAllNats(); err != nil {
			return nil, exchange{}, err
		}
	}
	one := <-s.nats[number]

	return one.conn, one.x, one.err
}

// dial connects to a server by its host:port or URL.
func dial(address string) (*net.TCPConn, error) {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Host
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot connect: %w", err)
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("%s is no address of TCP", address)
	}

	return tcp, nil
}

// Operation sends the request, of a key that it draws where it has one, and takes as many bytes as
// the answer has, and does so again as often as an operation does.
func (c *client) Operation() (int64, error) {
	for range 1 + c.again {
		if err := c.exchangeOnce(); err != nil {
			return 0, err
		}
	}

	return 1, nil
}

func (c *client) exchangeOnce() error {
	if c.digits > 0 {
		number := c.random.IntN(keys)
		for i := c.digits + 11; i >= c.digits; i-- {
			c.request[i] = byte('0' + number%10)
			number /= 10
		}
	}
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	_, err := io.ReadFull(c.conn, c.room)

	return err
}

// End has nothing to do.
func (c *client) End() error { return nil }

// Close closes the connection.
func (c *client) Close() error { return c.conn.Close() }

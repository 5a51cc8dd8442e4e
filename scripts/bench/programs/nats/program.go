package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

const (
	keys    = 10_000 // as many as k6 is given
	bucket  = "natsjs-kv-plain-orb"
	subject = "xk6-sweep.%s.%d.0" // as long as k6 has them
	within  = 10 * time.Second    // each call
)

// program is what all clients have in common.
type program struct {
	settings *settings
	value    []byte
	conn     *nats.Conn // of the services and, before and after all, of the bucket
}

// prepare connects, and writes the bucket where the work needs it.
func prepare(s *settings) (*program, error) {
	conn, err := s.dial()
	if err != nil {
		return nil, err
	}
	p := &program{settings: s, value: bytes.Repeat([]byte("x"), s.size), conn: conn}
	if s.work == put || s.work == get {
		if err := p.fill(); err != nil {
			conn.Close()

			return nil, fmt.Errorf("the bucket cannot be filled: %w", err)
		}
	}

	return p, nil
}

func (s *settings) dial() (*nats.Conn, error) {
	options := []nats.Option{nats.NoReconnect()}
	if s.quiet {
		options = append(options, nats.SetCustomDialer(quietDialer{}))
	}
	conn, err := nats.Connect(s.url, options...)
	if err != nil {
		return nil, fmt.Errorf("cannot connect: %w", err)
	}

	return conn, nil
}

func (p *program) fill() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	js, err := jetstream.New(p.conn)
	if err != nil {
		return err
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket})
	if err != nil {
		return err
	}
	for i := range keys {
		if _, err := kv.Put(ctx, key(i), p.value); err != nil {
			return err
		}
	}

	return nil
}

// close deletes the bucket.
func (p *program) close() error {
	defer p.conn.Close()
	if p.settings.work != put && p.settings.work != get {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	js, err := jetstream.New(p.conn)
	if err != nil {
		return err
	}

	return js.DeleteKeyValue(ctx, bucket)
}

// connect opens a client's own connection.
func (p *program) connect(number int) (crew.Work, error) {
	conn, err := p.settings.dial()
	if err != nil {
		return nil, err
	}
	c := &client{
		program: p, conn: conn, subject: fmt.Sprintf(subject, p.settings.work, number+1),
		random: rand.New(rand.NewPCG(1, uint64(number))),
	}
	switch p.settings.work {
	case request:
		err = c.serve()
	case put, get:
		err = c.open()
	}
	if err != nil {
		conn.Close()
	}

	return c, err
}

// serve answers what the client asks, on the connection of all services.
func (c *client) serve() error {
	_, err := c.program.conn.Subscribe(c.subject, func(m *nats.Msg) {
		_ = m.Respond(m.Data) // an answer that is missing is a failure of who asks
	})

	return errors.Join(err, c.program.conn.Flush())
}

func (c *client) open() error {
	js, err := jetstream.New(c.conn)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	c.kv, err = js.KeyValue(ctx, bucket)

	return err
}

// client is one connection.
type client struct {
	program *program
	conn    *nats.Conn
	kv      jetstream.KeyValue
	subject string
	random  *rand.Rand // draws keys, as k6 does
}

// Operation does one operation of the work, and returns how many values or messages that were. As
// k6, it looks at values that it gets, and not at what a service answers.
func (c *client) Operation() (int64, error) {
	value := c.program.value
	if c.program.settings.work == publish {
		return c.publish(value)
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	switch c.program.settings.work {
	case put:
		_, err := c.kv.Put(ctx, key(c.random.IntN(keys)), value)

		return 1, err
	case get:
		entry, err := c.kv.Get(ctx, key(c.random.IntN(keys)))
		if err == nil && !bytes.Equal(entry.Value(), value) {
			err = fmt.Errorf("%d bytes came that are not the value", len(entry.Value()))
		}

		return 1, err
	default:
		_, err := c.conn.RequestWithContext(ctx, c.subject, value)

		return 1, err
	}
}

func (c *client) publish(value []byte) (int64, error) {
	batch := c.program.settings.batch
	for range batch {
		if err := c.conn.Publish(c.subject, value); err != nil {
			return 0, err
		}
	}

	return int64(batch), c.conn.FlushTimeout(within)
}

// End has nothing to do.
func (c *client) End() error { return nil }

// Close closes the connection.
func (c *client) Close() error {
	c.conn.Close()

	return nil
}

// key is a key as long as k6's of 16 bytes, which go-orb has in base32.
func key(i int) string { return fmt.Sprintf("NNSXSORQGAYDAMBQGAYD%012d", i) }

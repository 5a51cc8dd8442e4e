package cmi

import (
	"context"
	"encoding/binary"
	"io"
)

const (
	firstBuffer = 8 << 10   // holds a usual answer; each of 512 connections has one
	keptBuffer  = 128 << 10 // larger buffers are released after their message
	maxMessage  = 256 << 20 // limit for received messages, including the packets' headers
)

func (c *Conn) ask(ctx context.Context, kind byte, statement uint32) ([]byte, error) {
	if err := c.request(); err != nil {
		return nil, c.failure(ctx, err)
	}
	m, err := c.answer(kind, statement)
	if cap(c.out.buf) > keptBuffer {
		c.out.buf = nil
	}
	if err != nil {
		return nil, c.failure(ctx, err)
	}

	return m.body, nil
}

// Reports of rejected rows may come at any time.
func (c *Conn) request() error {
	switch {
	case len(c.appenders) > 0:
		return c.writeAndListen(c.out.buf)
	case c.in.buffered():
		return c.write(c.out.buf)
	default:
		c.sending = c.out.buf

		return nil
	}
}

func (c *Conn) answer(kind byte, statement uint32) (message, error) {
	for {
		m, err := c.in.read()
		if err != nil {
			return m, err
		}
		switch {
		case m.kind == msgAppendData:
			if err := c.rejection(m); err != nil {
				return m, err
			}
		case m.kind == msgFetch && kind == msgFree && m.statement == statement:
			// After an error within the rows, machbase-neo v8.0.74 may send an answer to no
			// request.
		case m.kind != kind || m.statement != statement:
			return m, protocolError("message %d of statement %d arrived instead of %d of %d", m.kind, m.statement, kind, statement)
		default:
			return m, nil
		}
	}
}

type incoming struct{ *Conn }

func (c incoming) Read(b []byte) (int, error) {
	sent, received, err := c.exchange(c.sending, b)
	c.sending = nil
	c.sent.Add(uint64(sent))
	c.received.Add(uint64(received))

	return received, err
}

func (c *Conn) sendAndReceive(request, answer []byte) (sent, received int, err error) {
	if len(request) > 0 {
		sent, err = c.stream.Write(request)
	}
	if err == nil {
		received, err = c.stream.Read(answer)
	}

	return sent, received, err
}

func (c *Conn) write(b []byte) error {
	n, err := c.stream.Write(b)
	c.sent.Add(uint64(n))

	return err
}

// message is valid until the next one is read.
type message struct {
	kind      byte
	statement uint32
	body      []byte
}

// reader's buffer grows with the bytes that arrive, not with the announced length.
type reader struct {
	from io.Reader
	most int
	buf  []byte
	body int // start of the current message's body
	end  int // end of the current message's body
	next int // start of the bytes that are not parsed yet
	fill int // end of the bytes read
}

func (r *reader) read() (message, error) {
	r.drop()
	var m message
	for packet := 0; ; packet++ {
		if err := r.need(headerSize); err != nil {
			return m, err
		}
		header := r.buf[r.next : r.next+headerSize]
		lengthAndFlag := binary.BigEndian.Uint32(header[4:])
		flag, length := lengthAndFlag>>30, int(lengthAndFlag&(1<<30-1))
		kind, statement := header[3], binary.BigEndian.Uint32(header[8:])

		switch first := flag == 0 || flag == 1; {
		case header[0] != 0 || kind > msgHighest:
			return m, protocolError("a packet starts with % x", header)
		case first != (packet == 0):
			return m, protocolError("a packet of a message is missing")
		case packet > 0 && kind != m.kind:
			return m, protocolError("a packet of another message is in the middle of a message")
		case r.next-r.body+length > r.most:
			return m, protocolError("a message has more than %d bytes", r.most)
		}
		r.next += headerSize
		if packet == 0 {
			r.body, r.end = r.next, r.next
		}
		if err := r.need(length); err != nil {
			return m, err
		}
		if r.end != r.next {
			copy(r.buf[r.end:], r.buf[r.next:r.next+length])
		}
		r.end += length
		r.next += length
		m.kind, m.statement = kind, statement

		if flag == 0 || flag == 3 {
			m.body = r.buf[r.body:r.end]

			return m, nil
		}
	}
}

func (r *reader) drop() {
	r.body, r.end = r.next, r.next
	if r.next < r.fill {
		return
	}
	r.body, r.end, r.next, r.fill = 0, 0, 0, 0
	if cap(r.buf) > keptBuffer {
		r.buf = nil
	}
}

func (r *reader) buffered() bool { return r.next < r.fill }

func (r *reader) need(n int) error {
	for r.fill-r.next < n {
		if r.fill == len(r.buf) {
			r.makeRoom(n)
		}
		got, err := r.from.Read(r.buf[r.fill:])
		r.fill += got
		if err != nil && r.fill-r.next < n {
			return err
		}
	}

	return nil
}

// makeRoom doubles the size, so that the copies of a message of many packets take linear time.
func (r *reader) makeRoom(n int) {
	used, wanted, size := r.fill-r.body, r.next-r.body+n, len(r.buf)
	buf := r.buf
	if wanted > size {
		grown := 2 * used
		if r.next == r.body { // the message has only one packet so far
			grown = min(wanted, grown)
		}
		size = max(size, firstBuffer, grown)
		buf = make([]byte, size)
	}
	copy(buf, r.buf[r.body:r.fill])
	r.buf = buf
	r.end -= r.body
	r.next -= r.body
	r.fill -= r.body
	r.body = 0
}

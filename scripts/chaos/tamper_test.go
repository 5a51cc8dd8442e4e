package chaos

import (
	"math/rand/v2"
	"net"
	"time"
)

// few is the number of connections that a fault breaks. Later ones work, to test recovery.
const few = 8

// cutting acts in the middle of a reply, at a different place in each connection: first in the
// login, then later.
type cutting struct {
	then func(l *link, rest []byte) (goOn bool)
}

func places(index int) int { return []int{330, 3, 700, 47, 1500, 150, 1, 1000}[index%few] }

func (c cutting) begin(*link) bool { return true }

func (c cutting) reply(l *link, chunk []byte) bool {
	left := places(l.index) - l.sent
	if l.index >= few || l.marked || left >= len(chunk) {
		return l.send(chunk) == nil
	}
	l.mark()
	left = max(left, 0)
	if l.send(chunk[:left]) != nil {
		return false
	}

	return c.then(l, chunk[left:])
}

func resets(l *link, _ []byte) bool {
	time.Sleep(time.Millisecond) // otherwise the data is dropped with the connection
	l.reset()

	return false
}

func finishes(l *link, _ []byte) bool {
	l.finish()

	return false
}

func stalls(*link, []byte) bool { return false } // the link stays open

func garbles(l *link, rest []byte) bool {
	random := rand.New(rand.NewPCG(uint64(l.index), 1))
	garbage := make([]byte, len(rest)+200)
	for i := range garbage {
		garbage[i] = byte(random.Uint32())
	}

	return l.send(garbage) == nil
}

type ending struct {
	then func(l *link) (goOn bool)
}

func (e ending) begin(*link) bool { return true }

func (e ending) reply(l *link, chunk []byte) bool {
	if l.send(chunk) != nil {
		return false
	}
	if l.index >= few || l.chunks < 3+2*l.index {
		return true
	}
	l.mark()

	return e.then(l)
}

// leaves acts as a peer that disappears without a FIN: it sends nothing, and does not read.
func leaves(l *link) bool {
	_ = l.peer.Close()

	return false
}

func halfCloses(l *link) bool {
	l.finish()

	return true
}

// inflating changes a reply so that it announces too much data; with a filler, much of it is sent.
type inflating struct {
	inflate func(chunk []byte, index int) ([]byte, bool)
	filler  func() []byte
}

func (i inflating) begin(*link) bool { return true }

func (i inflating) reply(l *link, chunk []byte) bool {
	if l.index >= few {
		return l.send(chunk) == nil
	}
	inflated, done := i.inflate(chunk, l.index)
	if !done {
		return l.send(chunk) == nil
	}
	l.mark()
	if l.send(inflated) != nil || i.filler == nil {
		return false
	}
	for range 1000 { // 64 MB in total
		if l.send(i.filler()) != nil {
			break
		}
	}

	return false
}

type posing struct{}

func (posing) begin(l *link) bool {
	if l.index >= few {
		return true
	}
	l.mark()
	_ = l.send([]byte([]string{
		"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n",
		"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n400 Bad Request",
		"220 mail.example ESMTP\r\n",
		"J\x00\x00\x00\n8.0.36\x00\x08\x00\x00\x00abcdefgh\x00\xff\xf7\xff\x02\x00\xff\xdf\x15\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"\x15\x03\x03\x00\x02\x02\x28",
		"-ERR unknown command\r\n",
		"CMI_READY",
		"INFO {}\r\n",
	}[l.index]))
	l.hold()

	return false
}

func (posing) reply(l *link, chunk []byte) bool { return l.send(chunk) == nil }

type dripping struct{ net.Conn }

func (d dripping) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := d.Conn.Write(p[i : i+1]); err != nil {
			return i, err
		}
		time.Sleep(time.Millisecond)
	}

	return len(p), nil
}

type cutter struct {
	net.Conn

	next int
}

func (c *cutter) Write(p []byte) (int, error) {
	at := c.next % (len(p) + 1)
	c.next++
	n, err := c.Conn.Write(p[:at])
	if err != nil {
		return n, err
	}
	time.Sleep(200 * time.Microsecond)
	m, err := c.Conn.Write(p[at:])

	return n + m, err
}

package umemtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

type peer struct {
	server  *Server
	socket  net.Conn
	input   chan []byte
	shut    bool
	granted chan answer

	thread *table
	buffer []byte
}

// pump reads all the time, so that a waiting peer notices the end of the connection.
func (p *peer) pump() {
	defer close(p.input)
	for {
		chunk := make([]byte, 64<<10)
		n, err := p.socket.Read(chunk)
		if err != nil {
			p.shut = errors.Is(err, io.EOF)

			return
		}
		select {
		case p.input <- chunk[:n]:
		case <-p.server.stop:
			return
		}
	}
}

func (p *peer) serve() {
	defer func() {
		_ = p.socket.Close()
		for range p.input {
		}
		p.server.mu.Lock()
		delete(p.server.peers, p)
		if p.thread != nil {
			p.thread.connections--
		}
		p.server.mu.Unlock()
	}()

	if p.server.cluster != nil {
		if !p.await(1) || !p.server.cluster.admin(p) {
			return
		}
	}
	if !p.handshake() {
		return
	}
	for p.command() {
	}
}

// reset closes the connection immediately, as the real server does; the client may see a reset.
func (p *peer) reset() {
	if socket, ok := p.socket.(*net.TCPConn); ok {
		_ = socket.SetLinger(0)
	}
	_ = p.socket.Close()
}

func (p *peer) order() binary.ByteOrder {
	if p.server.options.Generation == wire.G3 {
		return binary.LittleEndian
	}

	return binary.BigEndian
}

func (p *peer) more() bool {
	chunk, ok := <-p.input
	p.buffer = append(p.buffer, chunk...)

	return ok
}

func (p *peer) await(n int) bool {
	for len(p.buffer) < n {
		if !p.more() {
			return false
		}
	}

	return true
}

// hang never answers again, like the real server, which waits for an event that has already
// happened.
func (p *peer) hang(why string) bool {
	p.server.violated(why)
	for range p.input {
	}

	return false
}

func (p *peer) handshake() bool {
	if !p.await(8) {
		return false
	}
	number := p.order().Uint32(p.buffer[4:])
	surplus := len(p.buffer) > 8
	p.buffer = p.buffer[:0]

	s := p.server
	s.mu.Lock()
	if number >= uint32(len(s.threads)) || s.threads[number].connections >= s.options.Slots/s.options.Threads {
		s.mu.Unlock()

		return false
	}
	p.thread = s.threads[number]
	p.thread.connections++
	s.accepted++
	s.mu.Unlock()

	if !p.write(0) {
		return false
	}
	if surplus {
		return p.hang("bytes right behind the handshake")
	}

	return true
}

func (p *peer) write(bytes ...byte) bool {
	_, err := p.socket.Write(bytes)

	return err == nil
}

func (p *peer) command() bool {
	if !p.await(2) || !p.await(2+int(p.buffer[1])) {
		return false
	}
	length := 2 + int(p.buffer[1])
	command, key := p.buffer[0], string(p.buffer[2:length])
	if len(p.buffer) > length {
		if p.server.options.Generation != wire.G1 {
			return p.hang("bytes right behind a command")
		}
		p.server.violated("bytes right behind a command, which are lost")
	}
	p.buffer = p.buffer[:0]

	switch command {
	case 0:
		return p.getOrSet(key)
	case 1:
		p.server.mu.Lock()
		p.thread.del(key)
		p.server.mu.Unlock()

		return p.write(0)
	default:
		p.server.violated("an unknown command")

		return false
	}
}

func (p *peer) getOrSet(key string) bool {
	p.server.mu.Lock()
	a, now := p.thread.get(p, key)
	p.server.mu.Unlock()
	if !now && !p.wait(&a) {
		p.leave(key)

		return false
	}

	head := bytes.Repeat([]byte{0xAA}, 9)
	if a.hit {
		p.order().PutUint64(head, uint64(len(a.value)))
		head[8] = 0

		return p.write(append(head, a.value...)...)
	}
	head[8] = 1
	if p.write(head...) && p.fill(key) {
		return true
	}
	p.leave(key)

	return false
}

// A half-closed connection keeps its place: the real server only notices resets then.
func (p *peer) wait(a *answer) bool {
	select {
	case *a = <-p.granted:
		return true
	case _, ok := <-p.input:
		if ok {
			return p.hang("bytes while a get waits")
		}
	}
	if p.shut {
		select {
		case *a = <-p.granted:
			return true
		case <-p.server.stop:
		}
	}

	return false
}

func (p *peer) leave(key string) {
	p.server.mu.Lock()
	defer p.server.mu.Unlock()
	p.thread.leave(p, key)
	select {
	case <-p.granted: // it arrived at the last moment: pass it on
	default:
	}
}

func (p *peer) fill(key string) bool {
	if !p.awaitOwned(8, key) {
		return false
	}
	announced := p.order().Uint64(p.buffer)
	if announced > uint64(p.thread.budget) || cost(key, int(announced)) > p.thread.budget {
		p.reset()

		return false
	}
	size := int(announced)
	if !p.awaitOwned(8+size, key) {
		return false
	}

	value := bytes.Clone(p.buffer[8 : 8+size])
	p.buffer = append(p.buffer[:0], p.buffer[8+size:]...)
	p.server.mu.Lock()
	stored := p.thread.set(p, key, value)
	p.server.mu.Unlock()
	if !stored {
		p.reset()

		return false
	}
	if p.server.options.Generation != wire.G1 {
		return true
	}
	if len(p.buffer) > 0 {
		p.server.violated("bytes right behind a fill, which are lost")
		p.buffer = p.buffer[:0]
	}

	return p.write(0)
}

func (p *peer) awaitOwned(n int, key string) bool {
	for len(p.buffer) < n {
		if !p.more() {
			return false
		}
		p.server.mu.Lock()
		owns := p.thread.owns(p, key)
		p.server.mu.Unlock()
		if !owns {
			p.reset()

			return false
		}
	}

	return true
}

package chaos

import (
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

type tamperer interface {
	begin(l *link) (goOn bool)
	// The chunk is valid until reply returns.
	reply(l *link, chunk []byte) (goOn bool)
}

type proxy struct {
	listener net.Listener
	server   func() (network, address string)
	fault    tamperer // nil for none
	// wrap changes how bytes are sent to k6, below TLS; may be nil.
	wrap func(net.Conn) net.Conn
	// rewrite changes the server's replies for all faults; may be nil.
	rewrite func(chunk []byte) []byte
	tls     *tls.Config

	accepted atomic.Int64
	spoiled  atomic.Int64
	replied  atomic.Int64

	mu   sync.Mutex
	open map[*link]struct{}
	wg   sync.WaitGroup
}

type link struct {
	*proxy

	index  int          // index among the proxy's connections, from 0
	raw    *net.TCPConn // connection to k6
	client net.Conn
	peer   *net.TCPConn // connection to the server
	sent   int
	chunks int
	marked bool
	gone   chan struct{}
}

func (p *proxy) serve() {
	p.open = map[*link]struct{}{}
	p.wg.Go(func() {
		for {
			conn, err := p.listener.Accept()
			if err != nil {
				return
			}
			raw, ok := conn.(*net.TCPConn)
			if !ok {
				return
			}
			l := &link{proxy: p, index: int(p.accepted.Add(1)) - 1, raw: raw, gone: make(chan struct{})}
			p.mu.Lock()
			p.open[l] = struct{}{}
			p.mu.Unlock()
			p.wg.Go(l.run)
		}
	})
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut()
	p.wg.Wait()
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		l.reset()
	}
}

func (p *proxy) left() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		select {
		case <-l.gone:
		default:
			n++
		}
	}

	return n
}

func (l *link) run() {
	defer func() {
		_ = l.raw.Close()
		if l.peer != nil {
			_ = l.peer.Close()
		}
		l.mu.Lock()
		delete(l.open, l)
		l.mu.Unlock()
	}()
	_ = l.raw.SetNoDelay(true)
	l.client = l.raw
	if l.wrap != nil {
		l.client = l.wrap(l.raw)
	}
	if l.tls != nil {
		secure := tls.Server(l.client, l.tls)
		_ = l.raw.SetDeadline(time.Now().Add(20 * time.Second))
		if secure.Handshake() != nil {
			return
		}
		_ = l.raw.SetDeadline(time.Time{})
		l.client = secure
	}
	if l.fault != nil && !l.fault.begin(l) {
		return
	}
	network, address := l.server()
	conn, err := net.Dial(network, address)
	peer, ok := conn.(*net.TCPConn)
	if err != nil || !ok {
		l.reset()
		return
	}
	l.peer = peer
	l.wg.Go(l.requests)
	l.replies()
}

func (l *link) requests() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.client.Read(buffer)
		if n > 0 {
			_, _ = l.peer.Write(buffer[:n])
		}
		if err != nil {
			close(l.gone)
			_ = l.peer.CloseWrite()
			return
		}
	}
}

func (l *link) replies() {
	buffer := make([]byte, 64<<10)
	for {
		n, err := l.peer.Read(buffer)
		if n > 0 {
			l.replied.Add(int64(n))
			l.chunks++
			if !l.pass(buffer[:n]) {
				break
			}
		}
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				l.finish()
			}
			break
		}
	}
	l.hold()
}

func (l *link) pass(chunk []byte) (goOn bool) {
	if l.rewrite != nil {
		chunk = l.rewrite(chunk)
	}
	if l.fault == nil {
		return l.send(chunk) == nil
	}

	return l.fault.reply(l, chunk)
}

func (l *link) send(p []byte) error {
	n, err := l.client.Write(p)
	l.sent += n

	return err
}

func (l *link) mark() {
	if !l.marked {
		l.marked = true
		l.spoiled.Add(1)
	}
}

func (l *link) reset() {
	_ = l.raw.SetLinger(0)
	_ = l.raw.Close()
}

func (l *link) finish() {
	if secure, ok := l.client.(*tls.Conn); ok {
		_ = secure.CloseWrite()
	}
	_ = l.raw.CloseWrite()
}

const most = 30 * time.Second

func (l *link) hold() {
	if l.peer == nil {
		_ = l.raw.SetReadDeadline(time.Now().Add(most))
		buffer := make([]byte, 4096)
		for {
			if _, err := l.client.Read(buffer); err != nil {
				close(l.gone)
				return
			}
		}
	}
	select {
	case <-l.gone:
	case <-time.After(most):
	}
}

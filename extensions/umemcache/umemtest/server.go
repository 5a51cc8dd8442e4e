package umemtest

import (
	"cmp"
	"crypto/tls"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// Options are the settings of the server's build. Zero values stand for the defaults of the real
// Makefile.
type Options struct {
	Generation wire.Generation // default G3
	Threads    int             // default 4
	Slots      int             // connections of all threads; default 512
	Memory     int             // bytes of all threads; default 100 MiB
	Timeout    time.Duration   // TCP_TIMEOUT; default 3 s
	TLS        *tls.Config     // nil: plain text
}

// Server is a running server.
type Server struct {
	options  Options
	listener net.Listener
	cluster  *Cluster
	wg       sync.WaitGroup
	stop     chan struct{}

	mu         sync.Mutex
	closed     bool
	peers      map[*peer]struct{}
	threads    []*table
	accepted   int
	violations []string
}

// Start starts a server that ends with the test. The test fails if there is no ::1.
func Start(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := newServer(tb, o)
	s.start()
	tb.Cleanup(s.Close)

	return s
}

func newServer(tb testing.TB, o Options) *Server {
	tb.Helper()
	listener, err := net.Listen("tcp6", "[::1]:0")
	require.NoError(tb, err, "umem-cache needs IPv6, and this machine has no ::1")

	o = Options{
		Generation: cmp.Or(o.Generation, wire.G3), Threads: cmp.Or(o.Threads, 4), Slots: cmp.Or(o.Slots, 512),
		Memory: cmp.Or(o.Memory, 100<<20), Timeout: cmp.Or(o.Timeout, 3*time.Second), TLS: o.TLS,
	}
	s := &Server{options: o, listener: listener, stop: make(chan struct{}), peers: map[*peer]struct{}{}}
	for range o.Threads {
		s.threads = append(s.threads, newTable(o.Generation, o.Memory/o.Threads))
	}

	return s
}

func (s *Server) start() {
	s.wg.Go(s.accept)
	s.wg.Go(s.clock)
}

// Address returns host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Connections returns how many connections have a slot.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, t := range s.threads {
		n += t.connections
	}

	return n
}

// Accepted returns the number of successful handshakes.
func (s *Server) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.accepted
}

// find returns the thread that has the key or its lock, -1 for none, and a copy of its entry.
func (s *Server) find(key string) (thread int, e entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	thread = slices.IndexFunc(s.threads, func(t *table) bool { return t.entries[key] != nil })
	if thread >= 0 {
		e = *s.threads[thread].entries[key]
	}

	return thread, e
}

// Waiting returns how many connections wait for the key's value.
func (s *Server) Waiting(key string) int {
	_, e := s.find(key)

	return len(e.waiters)
}

// Locked reports whether a connection holds the key's fill lock.
func (s *Server) Locked(key string) bool {
	_, e := s.find(key)

	return e.owner != nil
}

// Value returns the value of the key in any thread.
func (s *Server) Value(key string) (value string, found bool) {
	thread, e := s.find(key)

	return string(e.value), thread >= 0 && e.owner == nil
}

// ThreadOf returns the thread that has the key or its lock; -1: none.
func (s *Server) ThreadOf(key string) int {
	thread, _ := s.find(key)

	return thread
}

// Violations returns the clients' violations of the protocol, such as a command sent too early.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()

	return slices.Clone(s.violations)
}

// Disconnect closes all connections.
func (s *Server) Disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.peers {
		_ = p.socket.Close()
	}
}

// Close ends the server, and waits until its goroutines have ended.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	s.mu.Unlock()
	_ = s.listener.Close()
	s.Disconnect()
	s.wg.Wait()
}

func (s *Server) accept() {
	for {
		socket, err := s.listener.Accept()
		if err != nil {
			return
		}
		if s.options.TLS != nil {
			socket = tls.Server(socket, s.options.TLS)
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			_ = socket.Close()

			return
		}
		p := &peer{server: s, socket: socket, input: make(chan []byte), granted: make(chan answer, 1)}
		s.peers[p] = struct{}{}
		s.wg.Go(p.pump)
		s.wg.Go(p.serve)
		s.mu.Unlock()
	}
}

func (s *Server) clock() {
	ticker := time.NewTicker(s.options.Timeout)
	defer ticker.Stop()
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		s.mu.Lock()
		for _, t := range s.threads {
			t.tick()
		}
		s.mu.Unlock()
	}
}

func (s *Server) violated(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.violations = append(s.violations, what)
}

// Package emulator emulates an MXAccess gateway: the service of
// scenarios/lib/mxaccess_gateway.proto, with the timing of the published runs of the real one, and
// with faults on request. It has no MXAccess; its tags are generated.
package emulator

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	maxSessions = 1000
	maxServers  = 64
	maxItems    = 1000 // tags or handles of a command
)

// Config is the configuration of an emulator.
type Config struct {
	Name     string // name of the shape, for messages
	Shape    Shape
	Machines int           // number of machines: TestMachine_001 and so on
	Change   time.Duration // time between two changes of a tag; 0: tags never change
	Idle     time.Duration // an idle session of this age is closed when another one opens; 0: never
	Seed     uint64
	Keys     Keys
	Faults   []Fault
	Log      io.Writer   // receives a line for each ReadBulk call; may be nil
	TLS      *tls.Config // nil for plaintext
}

// Emulator is a gateway that answers from memory.
type Emulator struct {
	pb.UnimplementedMxAccessGatewayServer

	config   Config
	backend  string
	clock    *clock
	shared   shared
	tags     *tags
	faults   *faults
	recorder *recorder
	server   *grpc.Server
	listener *connections

	mu       sync.Mutex
	sessions map[string]*session
	opened   uint64 // sessions so far
}

// New returns an emulator that serves the clients of listener after Serve is called.
func New(config Config, listener net.Listener) *Emulator {
	e := &Emulator{
		config: config, backend: fmt.Sprintf("emulator of an MXAccess gateway (xk6-sweep, shape %s)", config.Name),
		clock: newClock(), listener: track(listener), sessions: map[string]*session{},
	}
	e.tags = newTags(e.clock.start, config.Machines, config.Change, config.Seed)
	e.faults = &faults{clock: e.clock}
	for _, fault := range config.Faults {
		e.faults.add(fault)
	}
	e.recorder = newRecorder(e.backend, e.clock.start, config.Log)
	options := []grpc.ServerOption{grpc.WaitForHandlers(true)}
	if config.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config.TLS)))
	}
	e.server = grpc.NewServer(options...)
	pb.RegisterMxAccessGatewayServer(e.server, e)
	reflection.Register(e.server)
	return e
}

// Serve returns nil after Close, or the error that ended it.
func (e *Emulator) Serve() error { return e.server.Serve(e.listener) }

// Close ends all calls and sessions, and writes the rest of the log. It returns the first error of
// writing the log. It can be called repeatedly.
func (e *Emulator) Close() error {
	e.mu.Lock()
	for id, session := range e.sessions {
		e.remove(id, session)
	}
	e.mu.Unlock()
	e.server.Stop()
	e.clock.close()
	return e.recorder.close()
}

// Address returns the listening address, host:port.
func (e *Emulator) Address() string { return e.listener.Addr().String() }

// Backend returns the emulator's name and version.
func (e *Emulator) Backend() string { return e.backend }

// Summary returns a summary of the ReadBulk calls so far.
func (e *Emulator) Summary() Summary { return e.recorder.summary() }

func (e *Emulator) openSessions() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sessions)
}

func (e *Emulator) open(client string) (*session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.clock.now()
	for id, session := range e.sessions {
		if e.config.Idle > 0 && now-session.lastUsed() > e.config.Idle {
			e.remove(id, session)
		}
	}
	if len(e.sessions) >= maxSessions {
		return nil, status.Errorf(codes.ResourceExhausted, "there are %d sessions already: close one", maxSessions)
	}
	e.opened++
	id := fmt.Sprintf("session-%d", e.opened)
	opened := newSession(id, client, newWorker(&e.config.Shape, &e.shared, e.config.Seed, e.opened), now)
	e.sessions[id] = opened
	return opened, nil
}

func (e *Emulator) remove(id string, session *session) {
	delete(e.sessions, id)
	close(session.closed)
}

func (e *Emulator) find(id string) (*session, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	session := e.sessions[id]
	if session == nil {
		return nil, noSession(id)
	}
	return session, nil
}

func (e *Emulator) end(id string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	session := e.sessions[id]
	if session == nil {
		return noSession(id)
	}
	e.remove(id, session)
	return nil
}

func noSession(id string) error {
	return status.Errorf(codes.NotFound, "there is no session %.100q: it was never opened, or has been closed", id)
}

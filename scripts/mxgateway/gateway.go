package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/reflection"
	"google.golang.org/grpc/status"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

// Scopes of an API key.
const (
	scopeSession   = "session:open"     // OpenSession and CloseSession
	scopeSubscribe = "invoke:subscribe" // every command except ReadBulk
	scopeRead      = "invoke:read"      // ReadBulk
	scopeEvents    = "events:read"      // StreamEvents, which is not emulated
)

// readKeys returns the scopes of each key in a file. Errors name the line, never the key.
func readKeys(file string) (map[string][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known := []string{scopeSession, scopeSubscribe, scopeRead, scopeEvents}
	keys := map[string][]string{}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		key, granted, _ := strings.Cut(line, " ")
		if parts := strings.SplitN(key, "_", 3); len(parts) != 3 || parts[0] != "mxgw" || parts[1] == "" || parts[2] == "" {
			return nil, fmt.Errorf("%s: line %d: it must be mxgw_<keyId>_<secret>, a space, and scopes with commas between them", file, i+1)
		}
		keys[key] = strings.Split(granted, ",")
		for _, scope := range keys[key] {
			if !slices.Contains(known, scope) {
				return nil, fmt.Errorf("%s: line %d: there is no scope %q: they are %s", file, i+1, scope, strings.Join(known, ", "))
			}
		}
	}
	return keys, nil
}

// gateway answers from memory.
type gateway struct {
	pb.UnimplementedMxAccessGatewayServer

	backend  string
	start    time.Time
	keys     map[string][]string
	shape    shape
	seed     uint64
	shared   shared
	tags     *tags
	faults   faults
	recorder recorder

	mu       sync.Mutex // guards the sessions and their items
	sessions map[string]*session
	opened   uint64 // sessions so far
}

func newGateway(shapeName string, seed uint64, keys map[string][]string) *gateway {
	g := &gateway{
		backend: fmt.Sprintf("emulator of an MXAccess gateway (xk6-sweep, shape %s)", shapeName),
		keys:    keys, seed: seed, sessions: map[string]*session{}, start: time.Now(),
	}
	g.tags = newTags(g.start, seed)
	if shapeName == "published" {
		g.shape = published()
	}
	g.recorder.backend = g.backend
	g.recorder.reset()
	return g
}

func (g *gateway) server(secured credentials.TransportCredentials) *grpc.Server {
	server := grpc.NewServer(grpc.WaitForHandlers(true), grpc.Creds(closable{secured}))
	pb.RegisterMxAccessGatewayServer(server, g)
	reflection.Register(server)
	return server
}

// closable makes the connection of a call known, so that a fault can close it.
type closable struct {
	credentials.TransportCredentials
}

type closableInfo struct {
	credentials.AuthInfo
	conn net.Conn
}

// ServerHandshake implements credentials.TransportCredentials.
func (c closable) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := c.TransportCredentials.ServerHandshake(raw)
	return conn, closableInfo{info, raw}, err
}

// control returns the handler of the control port:
//
//	GET    /          name and address
//	GET    /faults    current faults
//	POST   /faults    adds a fault, in the syntax of parseFault
//	DELETE /faults    removes all faults
//	GET    /summary   the ReadBulk calls so far
//	DELETE /summary   resets the summary
func (g *gateway) control(address string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		printJSON(w, map[string]any{"backend": g.backend, "address": address, "sessions": len(g.sessions)})
	})
	mux.HandleFunc("GET /faults", func(w http.ResponseWriter, _ *http.Request) { printJSON(w, g.faults.list()) })
	mux.HandleFunc("DELETE /faults", func(w http.ResponseWriter, _ *http.Request) {
		g.faults.clear()
		printJSON(w, g.faults.list())
	})
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1000))
		var one fault
		if err == nil {
			one, err = parseFault(string(text))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		g.faults.add(one)
		printJSON(w, g.faults.list())
	})
	mux.HandleFunc("GET /summary", func(w http.ResponseWriter, _ *http.Request) { printJSON(w, g.recorder.summary()) })
	mux.HandleFunc("DELETE /summary", func(w http.ResponseWriter, _ *http.Request) {
		g.recorder.reset()
		printJSON(w, g.recorder.summary())
	})
	return mux
}

func printJSON(w io.Writer, what any) {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(what)
}

// OpenSession implements the service.
func (g *gateway) OpenSession(ctx context.Context, request *pb.OpenSessionRequest) (*pb.OpenSessionReply, error) {
	if _, err := g.admit(ctx, callOpen, scopeSession); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened++
	id := fmt.Sprintf("session-%d", g.opened)
	g.sessions[id] = &session{
		id: id, client: request.GetClientSessionName(), worker: newWorker(&g.shape, &g.shared, g.seed, g.opened),
		items: map[int32]*item{}, handles: map[address]*item{},
	}
	return &pb.OpenSessionReply{
		SessionId: id, BackendName: g.backend, GatewayProtocolVersion: 1, WorkerProtocolVersion: 1, ProtocolStatus: &pb.ProtocolStatus{},
	}, nil
}

// CloseSession implements the service.
func (g *gateway) CloseSession(ctx context.Context, request *pb.CloseSessionRequest) (*pb.CloseSessionReply, error) {
	if _, err := g.admit(ctx, callClose, scopeSession); err != nil {
		return nil, err
	}
	if _, err := g.find(request.GetSessionId()); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.sessions, request.GetSessionId())
	return &pb.CloseSessionReply{SessionId: request.GetSessionId(), ProtocolStatus: &pb.ProtocolStatus{}}, nil
}

// Invoke implements the service.
func (g *gateway) Invoke(ctx context.Context, request *pb.MxCommandRequest) (*pb.MxCommandReply, error) {
	if request.GetCommand().GetReadBulk() == nil {
		return g.invoke(ctx, request, scopeSubscribe)
	}
	begin := time.Now()
	session, _ := g.find(request.GetSessionId())
	reply, err := g.invoke(ctx, request, scopeRead)
	g.recorder.record(session, begin, reply, err)
	return reply, err
}

func (g *gateway) invoke(ctx context.Context, request *pb.MxCommandRequest, scope string) (*pb.MxCommandReply, error) {
	failing, err := g.admit(ctx, callOf(request.GetCommand()), scope)
	if err != nil {
		return nil, err
	}
	session, err := g.find(request.GetSessionId())
	if err != nil {
		return nil, err
	}
	c := &command{gateway: g, session: session, command: request.GetCommand(), arrived: g.now(), failing: failing}
	if g.shape != (shape{}) {
		if err := g.wait(ctx, session.worker.book(c.arrived, c.extra())); err != nil {
			return nil, err
		}
	}
	reply := c.run()
	reply.SessionId, reply.CorrelationId, reply.Kind = session.id, request.GetCorrelationId(), request.GetCommand().GetKind()
	return reply, nil
}

func (g *gateway) find(id string) (*session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[id]; s != nil {
		return s, nil
	}
	return nil, status.Errorf(codes.NotFound, "there is no session %.100q: it was never opened, or has been closed", id)
}

// admit checks the key and applies the call's faults. It returns how many items must fail.
func (g *gateway) admit(ctx context.Context, call, scope string) (failing int, err error) {
	values := metadata.ValueFromIncomingContext(ctx, "authorization")
	if len(values) != 1 {
		return 0, status.Error(codes.Unauthenticated, "there must be one key: authorization: Bearer mxgw_<keyId>_<secret>")
	}
	text, bearer := strings.CutPrefix(values[0], "Bearer ")
	granted, known := g.keys[text]
	switch {
	case !bearer || !known:
		return 0, status.Error(codes.Unauthenticated, "the key is not known here")
	case !slices.Contains(granted, scope):
		return 0, status.Errorf(codes.PermissionDenied, "the key lacks the scope %s", scope)
	}
	for _, one := range g.faults.take(call) {
		switch one.kind {
		case faultItems:
			failing = max(failing, one.items)
		case faultSlow:
			if err := g.wait(ctx, g.now()+one.delay); err != nil {
				return 0, err
			}
		case faultClose:
			if client, ok := peer.FromContext(ctx); ok {
				if info, ok := client.AuthInfo.(closableInfo); ok {
					_ = info.conn.Close()
				}
			}
			return 0, status.Error(codes.Unavailable, "the connection is closed, as was asked for")
		default:
			return 0, status.Error(one.code, "this fault was asked for")
		}
	}
	return failing, nil
}

func (g *gateway) now() time.Duration { return time.Since(g.start) }

// precise is the final part of a wait. Before it, the wait uses Go's timers, which can be a
// millisecond late but end with a context.
const precise = 5 * time.Millisecond

func (g *gateway) wait(ctx context.Context, until time.Duration) error {
	if left := until - g.now(); left > precise {
		timer := time.NewTimer(left - precise)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		}
	}
	if left := until - g.now(); left > 0 {
		sleep(left)
	}
	return nil
}

// Package gatewaytest is an in-memory gateway for tests. It answers immediately, as the test says,
// with any .proto that has the published names. For a gateway under load see scripts/mxgateway.
package gatewaytest

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Options are the settings of a gateway.
type Options struct {
	Proto      string // the text of its .proto
	Key        string // required key; "": any
	TLS        *tls.Config
	Reflection bool
	// Read returns the answer to ReadBulk number n, from 1; nil: the zero Answer.
	Read func(ctx context.Context, n int) Answer
}

// Answer is the answer to a ReadBulk. The zero value has a cached value for each tag.
type Answer struct {
	Err      error // a gRPC status
	Code     int32 // code in the protocol_status
	Message  string
	HResult  int32
	Failed   int    // number of tags that fail, from the first
	Uncached int    // number of tags after them that are not cached
	Missing  int    // number of results that are left out
	Raw      []byte // sent in place of a reply
	Empty    bool   // no payload
}

// Server is a running gateway.
type Server struct {
	Address string

	options Options
	service protoreflect.ServiceDescriptor
	stop    func()

	mu       sync.Mutex
	sessions map[string]bool
	opened   int
	reads    int
	accepted int
}

type counting struct {
	net.Listener
	of *Server
}

// Accept implements net.Listener.
func (l counting) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.of.mu.Lock()
		l.of.accepted++
		l.of.mu.Unlock()
	}

	return conn, err
}

// Start starts a gateway that ends with the test.
func Start(t *testing.T, o Options) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)

	return Serve(t, listener, o)
}

// Serve starts a gateway on a listener.
func Serve(t *testing.T, listener net.Listener, o Options) *Server {
	t.Helper()
	s := &Server{Address: listener.Addr().String(), options: o, service: compile(t, o.Proto), sessions: map[string]bool{}}
	options := []grpc.ServerOption{grpc.ForceServerCodecV2(codec{}), grpc.UnknownServiceHandler(s.handle)}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	server := grpc.NewServer(options...)
	if o.Reflection {
		files := &protoregistry.Files{}
		register(files, s.service.ParentFile())
		rpb.RegisterServerReflectionServer(server, reflection.NewServerV1(reflection.ServerOptions{
			Services: services{string(s.service.FullName())}, DescriptorResolver: files,
		}))
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(counting{listener, s}) }()
	s.stop = sync.OnceFunc(func() {
		server.Stop()
		require.NoError(t, <-served)
	})
	t.Cleanup(s.stop)

	return s
}

// Stop ends the gateway: its connections break.
func (s *Server) Stop() { s.stop() }

// Sessions returns how many sessions are open.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return len(s.sessions)
}

// Connections returns how many connections have been accepted.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.accepted
}

// Reads returns how many ReadBulk calls have arrived.
func (s *Server) Reads() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.reads
}

func compile(t *testing.T, text string) protoreflect.ServiceDescriptor {
	t.Helper()
	compiler := protocompile.Compiler{Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
		Accessor: protocompile.SourceAccessorFromMap(map[string]string{"gateway.proto": text}),
	})}
	files, err := compiler.Compile(t.Context(), "gateway.proto")
	require.NoError(t, err)
	require.Equal(t, 1, files[0].Services().Len())

	return files[0].Services().Get(0)
}

func register(files *protoregistry.Files, file protoreflect.FileDescriptor) {
	for i := range file.Imports().Len() {
		register(files, file.Imports().Get(i))
	}
	_ = files.RegisterFile(file) // a file that two others import is there already
}

type services struct{ name string }

// GetServiceInfo implements reflection.ServiceInfoProvider.
func (s services) GetServiceInfo() map[string]grpc.ServiceInfo {
	return map[string]grpc.ServiceInfo{s.name: {}}
}

// codec also sends bytes that are no message.
type codec struct{}

// Name returns the name of gRPC's codec.
func (codec) Name() string { return "proto" }

// Marshal returns encoded bytes unchanged.
func (codec) Marshal(v any) (mem.BufferSlice, error) {
	raw, is := v.([]byte)
	var err error
	if m, isMessage := v.(proto.Message); !is && isMessage {
		raw, err = proto.Marshal(m)
	}

	return mem.BufferSlice{mem.SliceBuffer(raw)}, err
}

// Unmarshal decodes a received message.
func (codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("a message cannot be a %T", v)
	}

	return proto.Unmarshal(data.Materialize(), m)
}

// request has the published names of all requests. JSON has numbers of 64 bits in quotes.
type request struct {
	Name        string `json:"client_session_name"`
	Session     string `json:"session_id"`
	Correlation string `json:"correlation_id"`
	Command     map[string]json.RawMessage
}

type bulk struct {
	ServerHandle json.Number   `json:"server_handle"`
	Tags         []string      `json:"tag_addresses"`
	Items        []json.Number `json:"item_handles"`
}

// object is a message in JSON; fields that the .proto does not have are not sent.
type object map[string]any

func (s *Server) handle(_ any, stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	method := s.service.Methods().ByName(protoreflect.Name(path[strings.LastIndex(path, "/")+1:]))
	if method == nil || path != fmt.Sprintf("/%s/%s", s.service.FullName(), method.Name()) {
		return status.Error(codes.Unimplemented, path)
	}
	if md, _ := metadata.FromIncomingContext(stream.Context()); s.options.Key != "" &&
		strings.Join(md.Get("authorization"), "") != "Bearer "+s.options.Key {
		return status.Error(codes.Unauthenticated, "the key is wrong")
	}
	in, out := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := stream.RecvMsg(in); err != nil {
		return err
	}
	text, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(in)
	if err != nil {
		return err
	}
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	raw, reply, err := s.answer(stream.Context(), method, &r)
	if err != nil {
		return err
	}
	if raw != nil {
		return stream.SendMsg(raw)
	}
	if text, err = json.Marshal(reply); err != nil {
		return err
	}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, out); err != nil {
		return err
	}

	return stream.SendMsg(out)
}

func (s *Server) answer(ctx context.Context, m protoreflect.MethodDescriptor, r *request) (raw []byte, reply object, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Name() == "OpenSession" {
		s.opened++
		id := fmt.Sprintf("session-%d", s.opened)
		s.sessions[id] = true

		return nil, object{"session_id": id, "backend_name": "gatewaytest for " + r.Name}, nil
	}
	if !s.sessions[r.Session] {
		return nil, nil, status.Error(codes.NotFound, "there is no session "+r.Session)
	}
	if m.Name() == "CloseSession" {
		delete(s.sessions, r.Session)

		return nil, object{}, nil
	}
	kind := string(r.Command["kind"])
	delete(r.Command, "kind")
	for name, body := range r.Command {
		if kind != "" && !strings.HasSuffix(kind, "_"+strings.ToUpper(name)+`"`) {
			return nil, nil, status.Errorf(codes.InvalidArgument, "the kind %s does not fit %s", kind, name)
		}
		var b bulk
		if err := json.Unmarshal(body, &b); err != nil {
			return nil, nil, err
		}
		raw, reply, err = s.command(ctx, m.Output(), name, &b)
	}
	if reply != nil {
		reply["session_id"], reply["correlation_id"] = r.Session, r.Correlation
	}

	return raw, reply, err
}

const serverHandle = 7

func (s *Server) command(ctx context.Context, reply protoreflect.MessageDescriptor, name string, b *bulk) ([]byte, object, error) {
	if name == "register" {
		return nil, object{"register": object{"server_handle": serverHandle}}, nil
	}
	if b.ServerHandle != json.Number(fmt.Sprint(serverHandle)) {
		return nil, nil, status.Errorf(codes.InvalidArgument, "the server handle is %s", b.ServerHandle)
	}
	items := []object{}
	for i, tag := range b.Tags {
		if strings.HasPrefix(tag, "Unknown") {
			items = append(items, object{"tag_address": tag, "error_message": "no such tag"})
		} else {
			items = append(items, object{"tag_address": tag, "item_handle": i + 1, "was_successful": true})
		}
	}
	for _, handle := range b.Items {
		items = append(items, object{"item_handle": handle, "was_successful": true})
	}
	if name != "read_bulk" {
		return nil, object{"bulk_subscribe": list(reply, "bulk_subscribe", items)}, nil
	}

	return s.read(ctx, reply, items)
}

// list returns a payload, whose first field has the results.
func list(reply protoreflect.MessageDescriptor, payload protoreflect.Name, items []object) object {
	results := reply.Fields().ByName(payload).Message().Fields().Get(0).Name()

	return object{string(results): items}
}

// The caller holds s.mu, which read releases meanwhile.
func (s *Server) read(ctx context.Context, reply protoreflect.MessageDescriptor, items []object) ([]byte, object, error) {
	s.reads++
	var answer Answer
	if s.options.Read != nil {
		n := s.reads
		s.mu.Unlock()
		answer = s.options.Read(ctx, n)
		s.mu.Lock()
	}
	if answer.Err != nil || answer.Raw != nil {
		return answer.Raw, nil, answer.Err
	}
	out := object{"hresult": answer.HResult}
	if answer.Code != 0 {
		out["protocol_status"] = object{"code": answer.Code, "message": answer.Message}
	}
	if answer.Empty {
		return nil, out, nil
	}
	items = items[:len(items)-answer.Missing]
	for i := range items {
		item := object{"tag_address": items[i]["tag_address"], "item_handle": i + 1, "error_message": "no such tag"}
		if i >= answer.Failed {
			item = object{
				"tag_address": items[i]["tag_address"], "item_handle": i + 1, "was_successful": true, "was_cached": i >= answer.Failed+answer.Uncached,
				"quality": 192, "value": object{"int32_value": 100 + i}, "source_timestamp": "2026-01-01T00:00:00Z",
			}
		}
		items[i] = item
	}
	out["bulk_read"] = list(reply, "bulk_read", items)

	return nil, out, nil
}

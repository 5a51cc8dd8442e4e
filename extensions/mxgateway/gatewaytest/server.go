package gatewaytest

import (
	"context"
	"crypto/tls"
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
	"google.golang.org/grpc/metadata"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
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
	sessions map[string]int
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
	s := &Server{Address: listener.Addr().String(), options: o, service: compile(t, o.Proto), sessions: map[string]int{}}
	options := []grpc.ServerOption{grpc.ForceServerCodecV2(codec{}), grpc.UnknownServiceHandler(s.handle)}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	server := grpc.NewServer(options...)
	if o.Reflection {
		rpb.RegisterServerReflectionServer(server, s.reflection())
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
	request, reply := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := stream.RecvMsg(request); err != nil {
		return err
	}
	raw, err := s.answer(stream.Context(), string(method.Name()), request, reply)
	switch {
	case err != nil:
		return err
	case raw != nil:
		return stream.SendMsg(raw)
	default:
		return stream.SendMsg(reply)
	}
}

func (s *Server) answer(ctx context.Context, method string, request, reply protoreflect.Message) (raw []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "OpenSession" {
		s.opened++
		id := fmt.Sprintf("session-%d", s.opened)
		s.sessions[id] = 0
		set(reply, "session_id", id)
		set(reply, "backend_name", "gatewaytest for "+text(request, "client_session_name"))

		return nil, nil
	}
	id := text(request, "session_id")
	if _, known := s.sessions[id]; !known {
		return nil, status.Error(codes.NotFound, "there is no session "+id)
	}
	if method == "CloseSession" {
		delete(s.sessions, id)

		return nil, nil
	}
	set(reply, "session_id", id)
	set(reply, "correlation_id", text(request, "correlation_id"))
	command := child(request, "command")
	payload := command.WhichOneof(command.Descriptor().Oneofs().Get(0))
	if kinds := command.Descriptor().Fields().ByName("kind"); kinds != nil {
		kind := kinds.Enum().Values().ByNumber(command.Get(kinds).Enum())
		if !strings.HasSuffix(string(kind.Name()), "_"+strings.ToUpper(string(payload.Name()))) {
			return nil, status.Errorf(codes.InvalidArgument, "the kind %s does not fit %s", kind.Name(), payload.Name())
		}
	}

	return s.command(ctx, id, string(payload.Name()), command.Get(payload).Message(), reply)
}

const serverHandle = 7

func (s *Server) command(ctx context.Context, id, name string, command, reply protoreflect.Message) ([]byte, error) {
	if name == "register" {
		set(child(reply, "register"), "server_handle", serverHandle)

		return nil, nil
	}
	if handle := command.Get(fieldOf(command, "server_handle")).Int(); handle != serverHandle {
		return nil, status.Errorf(codes.InvalidArgument, "the server handle is %d", handle)
	}
	switch name {
	case "subscribe_bulk":
		tags := command.Get(fieldOf(command, "tag_addresses")).List()
		s.sessions[id] += tags.Len()
		for i := range tags.Len() {
			item := add(child(reply, "bulk_subscribe"))
			known := !strings.HasPrefix(tags.Get(i).String(), "Unknown")
			set(item, "tag_address", tags.Get(i).String())
			set(item, "was_successful", known)
			if known {
				set(item, "item_handle", i+1)
			} else {
				set(item, "error_message", "no such tag")
			}
		}
	case "unsubscribe_bulk":
		handles := command.Get(fieldOf(command, "item_handles")).List()
		s.sessions[id] -= handles.Len()
		for i := range handles.Len() {
			item := add(child(reply, "bulk_subscribe"))
			set(item, "item_handle", int(handles.Get(i).Int()))
			set(item, "was_successful", true)
		}
		child(reply, "bulk_subscribe")
	default:
		return s.read(ctx, command, reply)
	}

	return nil, nil
}

// The caller holds s.mu, which read releases meanwhile.
func (s *Server) read(ctx context.Context, command, reply protoreflect.Message) ([]byte, error) {
	s.reads++
	var answer Answer
	if s.options.Read != nil {
		n := s.reads
		s.mu.Unlock()
		answer = s.options.Read(ctx, n)
		s.mu.Lock()
	}
	if answer.Err != nil || answer.Raw != nil {
		return answer.Raw, answer.Err
	}
	if answer.Code != 0 {
		said := child(reply, "protocol_status")
		said.Set(fieldOf(said, "code"), protoreflect.ValueOfEnum(protoreflect.EnumNumber(answer.Code)))
		set(said, "message", answer.Message)
	}
	if answer.HResult != 0 {
		set(reply, "hresult", int(answer.HResult))
	}
	if answer.Empty {
		return nil, nil
	}
	results := child(reply, "bulk_read")
	tags := command.Get(fieldOf(command, "tag_addresses")).List()
	for i := range tags.Len() - answer.Missing {
		item := add(results)
		set(item, "tag_address", tags.Get(i).String())
		set(item, "item_handle", i+1)
		set(item, "was_successful", i >= answer.Failed)
		set(item, "was_cached", i >= answer.Failed+answer.Uncached)
		if i < answer.Failed {
			set(item, "error_message", "no such tag")

			continue
		}
		set(item, "quality", 192)
		set(child(item, "value"), "int32_value", 100+i)
		set(child(item, "source_timestamp"), "seconds", 1767225600) // 2026-01-01
	}

	return nil, nil
}

func fieldOf(m protoreflect.Message, name string) protoreflect.FieldDescriptor {
	return m.Descriptor().Fields().ByName(protoreflect.Name(name))
}

func text(m protoreflect.Message, name string) string {
	f := fieldOf(m, name)
	if f == nil {
		return ""
	}

	return m.Get(f).String()
}

func child(m protoreflect.Message, name string) protoreflect.Message {
	return m.Mutable(fieldOf(m, name)).Message()
}

func add(list protoreflect.Message) protoreflect.Message {
	return list.Mutable(list.Descriptor().Fields().Get(0)).List().AppendMutable().Message()
}

func set(m protoreflect.Message, name string, value any) {
	f := fieldOf(m, name)
	if f == nil {
		return
	}
	switch v := value.(type) {
	case int:
		number := protoreflect.ValueOfInt32(int32(v))
		if f.Kind() == protoreflect.Int64Kind || f.Kind() == protoreflect.Sint64Kind || f.Kind() == protoreflect.Sfixed64Kind {
			number = protoreflect.ValueOfInt64(int64(v))
		}
		m.Set(f, number)
	default:
		m.Set(f, protoreflect.ValueOf(v))
	}
}

func marshal(v any) ([]byte, error) {
	switch m := v.(type) {
	case []byte:
		return m, nil
	case proto.Message:
		return proto.Marshal(m)
	case protoreflect.Message:
		return proto.Marshal(m.Interface())
	default:
		return nil, fmt.Errorf("a message cannot be a %T", v)
	}
}

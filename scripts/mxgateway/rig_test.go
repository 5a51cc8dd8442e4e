package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	fullKey   = "mxgw_full_first-secret"
	noReadKey = "mxgw_noread_second-secret"
	keyFile   = fullKey + " session:open,invoke:subscribe,invoke:read,events:read\n" +
		noReadKey + " session:open,invoke:subscribe\n"
)

// config without a shape answers without delay.
type config struct {
	shape  shape
	change time.Duration
	keys   string
	faults []fault
	log    io.Writer
	tls    credentials.TransportCredentials
}

type started struct {
	*gateway
	address string
}

func start(t *testing.T, c config) *started {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(file, []byte(cmp.Or(c.keys, keyFile)), 0o600))
	keys, err := readKeys(file)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	g := newGateway("none", 1, keys)
	g.shape = c.shape
	g.tags.change = cmp.Or(c.change, time.Hour)
	for _, one := range c.faults {
		g.faults.add(one)
	}
	if c.log != nil {
		g.recorder.log = bufio.NewWriter(c.log)
	}
	if c.tls == nil {
		c.tls = insecure.NewCredentials()
	}
	server := g.server(c.tls)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		assert.NoError(t, <-ended)
	})
	return &started{g, listener.Addr().String()}
}

type client struct {
	pb.MxAccessGatewayClient
	ctx context.Context
}

func dial(t *testing.T, gateway *started, key string) client {
	t.Helper()
	conn, err := grpc.NewClient(gateway.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
	}
	return client{MxAccessGatewayClient: pb.NewMxAccessGatewayClient(conn), ctx: ctx}
}

type clientSession struct {
	client
	id     string
	server int32
}

func (c client) open(t *testing.T) clientSession {
	t.Helper()
	opened, err := c.OpenSession(c.ctx, &pb.OpenSessionRequest{ClientSessionName: "test"})
	require.NoError(t, err)
	s := clientSession{client: c, id: opened.GetSessionId()}
	reply, err := s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_REGISTER,
		Payload: &pb.MxCommand_Register{Register: &pb.RegisterCommand{ClientName: "test"}},
	})
	require.NoError(t, err)
	s.server = reply.GetRegister().GetServerHandle()
	return s
}

func (s clientSession) invoke(command *pb.MxCommand) (*pb.MxCommandReply, error) {
	return s.Invoke(s.ctx, &pb.MxCommandRequest{SessionId: s.id, CorrelationId: "mine", Command: command})
}

func (s clientSession) subscribe(tags ...string) (*pb.MxCommandReply, error) {
	return s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK,
		Payload: &pb.MxCommand_SubscribeBulk{SubscribeBulk: &pb.SubscribeBulkCommand{ServerHandle: s.server, TagAddresses: tags}},
	})
}

func (s clientSession) unsubscribe(handles ...int32) (*pb.MxCommandReply, error) {
	return s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_UNSUBSCRIBE_BULK,
		Payload: &pb.MxCommand_UnsubscribeBulk{UnsubscribeBulk: &pb.UnsubscribeBulkCommand{ServerHandle: s.server, ItemHandles: handles}},
	})
}

func (s clientSession) read(tags ...string) (*pb.MxCommandReply, error) {
	return s.readWithin(0, tags...)
}

func (s clientSession) readWithin(timeoutMs uint32, tags ...string) (*pb.MxCommandReply, error) {
	return s.invoke(readCommand(s.server, timeoutMs, tags...))
}

func readCommand(server int32, timeoutMs uint32, tags ...string) *pb.MxCommand {
	return &pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK,
		Payload: &pb.MxCommand_ReadBulk{ReadBulk: &pb.ReadBulkCommand{ServerHandle: server, TagAddresses: tags, TimeoutMs: timeoutMs}},
	}
}

func machineTag(number int) string { return fmt.Sprintf("TestMachine_%03d.TestChangingInt", number) }

func six() []string {
	tags := make([]string, 6)
	for i := range tags {
		tags[i] = machineTag(i + 1)
	}
	return tags
}

func withTimeout(ctx context.Context, d time.Duration) (context.Context, func()) {
	return context.WithTimeout(ctx, d)
}

func goroutines() []string {
	stacks := make([]byte, 1<<20)
	var left []string
	for i, stack := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if i > 0 && (strings.Contains(stack, "google.golang.org/grpc") || strings.Contains(stack, "main.(*gateway")) {
			left = append(left, stack)
		}
	}
	return left
}

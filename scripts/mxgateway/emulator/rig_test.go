package emulator_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const (
	fullKey   = "mxgw_full_first-secret"
	noReadKey = "mxgw_noread_second-secret"
	keyFile   = "# keys of the tests\n\n" + fullKey + " session:open,invoke:subscribe,invoke:read,events:read\n" +
		noReadKey + " session:open,invoke:subscribe\n"
)

type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// atOnce answers without delay; its tags do not change.
func atOnce() emulator.Config {
	return emulator.Config{Name: "none", Machines: 20, Seed: 1}
}

func start(t *testing.T, config emulator.Config) *emulator.Emulator {
	t.Helper()
	if config.Keys == nil {
		keys, err := emulator.ReadKeys(strings.NewReader(keyFile))
		require.NoError(t, err)
		config.Keys = keys
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	gateway := emulator.New(config, listener)
	ended := make(chan error, 1)
	go func() { ended <- gateway.Serve() }()
	t.Cleanup(func() {
		assert.NoError(t, gateway.Close())
		assert.NoError(t, <-ended)
	})
	return gateway
}

type client struct {
	pb.MxAccessGatewayClient
	ctx context.Context
}

func dial(t *testing.T, gateway *emulator.Emulator, key string) client {
	t.Helper()
	conn, err := grpc.NewClient(gateway.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close()) })
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	if key != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+key)
	}
	return client{MxAccessGatewayClient: pb.NewMxAccessGatewayClient(conn), ctx: ctx}
}

type session struct {
	client
	id     string
	server int32
}

func (c client) open(t *testing.T) session {
	t.Helper()
	opened, err := c.OpenSession(c.ctx, &pb.OpenSessionRequest{ClientSessionName: "test"})
	require.NoError(t, err)
	s := session{client: c, id: opened.GetSessionId()}
	reply, err := s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_REGISTER,
		Payload: &pb.MxCommand_Register{Register: &pb.RegisterCommand{ClientName: "test"}},
	})
	require.NoError(t, err)
	s.server = reply.GetRegister().GetServerHandle()
	return s
}

func (s session) invoke(command *pb.MxCommand) (*pb.MxCommandReply, error) {
	return s.Invoke(s.ctx, &pb.MxCommandRequest{SessionId: s.id, CorrelationId: "mine", Command: command})
}

func (s session) subscribe(tags ...string) (*pb.MxCommandReply, error) {
	return s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_SUBSCRIBE_BULK,
		Payload: &pb.MxCommand_SubscribeBulk{SubscribeBulk: &pb.SubscribeBulkCommand{ServerHandle: s.server, TagAddresses: tags}},
	})
}

func (s session) unsubscribe(handles ...int32) (*pb.MxCommandReply, error) {
	return s.invoke(&pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_UNSUBSCRIBE_BULK,
		Payload: &pb.MxCommand_UnsubscribeBulk{UnsubscribeBulk: &pb.UnsubscribeBulkCommand{ServerHandle: s.server, ItemHandles: handles}},
	})
}

func (s session) read(tags ...string) (*pb.MxCommandReply, error) { return s.readWithin(0, tags...) }

func (s session) readWithin(timeoutMs uint32, tags ...string) (*pb.MxCommandReply, error) {
	return s.invoke(readCommand(s.server, timeoutMs, tags...))
}

func readCommand(server int32, timeoutMs uint32, tags ...string) *pb.MxCommand {
	return &pb.MxCommand{
		Kind:    pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK,
		Payload: &pb.MxCommand_ReadBulk{ReadBulk: &pb.ReadBulkCommand{ServerHandle: server, TagAddresses: tags, TimeoutMs: timeoutMs}},
	}
}

func machine(number int) string { return fmt.Sprintf("TestMachine_%03d.TestChangingInt", number) }

func six() []string {
	tags := make([]string, 6)
	for i := range tags {
		tags[i] = machine(i + 1)
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
		if i > 0 && (strings.Contains(stack, "google.golang.org/grpc") || strings.Contains(stack, "emulator.(*")) {
			left = append(left, stack)
		}
	}
	return left
}

func timers(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	var open []string
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil && strings.Contains(target, "timerfd") {
			open = append(open, file)
		}
	}
	return open
}

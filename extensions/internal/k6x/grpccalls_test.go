package k6x

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// A call that times out, with or without a connection, fails the current operation.
func TestGRPCCallsThatTimeOut(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := grpc.NewServer(grpc.UnaryInterceptor(
		func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
			if request.(*grpc_health_v1.HealthCheckRequest).Service == "slow" {
				<-ctx.Done()

				return nil, status.FromContextError(ctx.Err()).Err()
			}

			return handle(ctx, request)
		}))
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and stays silent
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })

	for name, tt := range map[string]struct {
		address net.Addr
		service string
		timeout time.Duration
		want    string
	}{
		"slow": {
			listener.Addr(), "slow", time.Second,
			"grpc: grpc.health.v1.Health/Check answered DEADLINE_EXCEEDED",
		},
		"no connection": {
			silent.Addr(), "", time.Second,
			"grpc: grpc.health.v1.Health/Check answered DEADLINE_EXCEEDED",
		},
		"an answer": {listener.Addr(), "", time.Minute, ""},
		"an error":  {listener.Addr(), "unknown", time.Minute, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, _ := vuState(10)
			session := &Session{Tap: NewTap(state)}
			session.Tap.Open()
			conn, err := grpc.NewClient(tt.address.String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
			require.NoError(t, err)
			defer func() { require.NoError(t, conn.Close()) }()
			conn.Connect() // k6 also connects first
			ctx, cancel := context.WithTimeout(WithSession(t.Context(), session), tt.timeout)
			_, _ = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: tt.service})
			cancel()
			if tt.want == "" {
				require.NoError(t, session.Tap.Fault())

				return
			}
			require.EqualError(t, session.Tap.Fault(), tt.want)
		})
	}
}

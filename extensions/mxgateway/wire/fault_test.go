package wire_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

func peer(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var wait sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		wait.Wait()
	})
	wait.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wait.Go(func() {
				defer conn.Close()
				serve(conn)
			})
		}
	})

	return listener.Addr().String()
}

func TestPeersThatAreNotGateways(t *testing.T) {
	for name, serve := range map[string]func(net.Conn){
		"closes":  func(net.Conn) {},
		"stalls":  func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"garbage": func(conn net.Conn) { _, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\nthis is no gRPC")) },
		"lies about the length": func(conn net.Conn) {
			_, _ = conn.Write([]byte{0xff, 0xff, 0xff, 4, 0, 0, 0, 0, 0})
			_, _ = io.Copy(io.Discard, conn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			conn := dial(t, wire.Options{Address: peer(t, serve), Key: key, ConnectTimeout: 200 * time.Millisecond})
			ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
			defer stop()
			_, err := conn.OpenSession(ctx, load(t, ownProto), "x")
			require.Equal(t, wire.KindConnection, kind(err))
			require.NotContains(t, err.Error(), "\n")
			_, err = conn.Reflect(ctx, "")
			require.Equal(t, wire.KindConnection, kind(err))
		})
	}
	conn := dial(t, wire.Options{Address: "127.0.0.1:1"})
	_, err := conn.OpenSession(t.Context(), load(t, ownProto), "x")
	require.Equal(t, wire.KindConnection, kind(err))
	require.ErrorContains(t, err, "connection refused")
}

func TestNoAnswerInTime(t *testing.T) {
	release := make(chan struct{})
	answer := sync.OnceFunc(func() { close(release) })
	server := gateway(t, func(_ context.Context, n int) gatewaytest.Answer {
		if n == 1 {
			<-release
		}

		return gatewaytest.Answer{}
	})
	t.Cleanup(answer)
	session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), load(t, ownProto))
	reader := session.Repeated(tags, 0, 100*time.Millisecond)
	_, err := reader.Read(reader.Context(t.Context()))
	require.Equal(t, wire.KindTimeout, kind(err))
	require.Equal(t, codes.DeadlineExceeded, code(err))
	answer()
	require.Eventually(t, func() bool {
		counts, err := reader.Read(reader.Context(t.Context()))

		return err == nil && counts.Cached == 6
	}, 10*time.Second, time.Millisecond, "the session goes on")
}

func TestTheTestEnds(t *testing.T) {
	begun := make(chan struct{})
	server := gateway(t, func(ctx context.Context, _ int) gatewaytest.Answer {
		close(begun)
		<-ctx.Done()

		return gatewaytest.Answer{Err: status.FromContextError(ctx.Err()).Err()}
	})
	session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), load(t, ownProto))
	reader := session.Repeated(tags, 0, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := reader.Read(reader.Context(ctx))
	require.Equal(t, wire.KindCancelled, kind(err))
}

func TestTheGatewayDiesAndComesBack(t *testing.T) {
	server := gateway(t, nil)
	session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), load(t, ownProto))
	reader := session.Repeated(tags, 0, time.Second)
	read := func() error {
		_, err := reader.Read(reader.Context(t.Context()))

		return err
	}
	require.NoError(t, read())
	server.Stop()
	require.Eventually(t, func() bool { return kind(read()) == wire.KindConnection }, 10*time.Second, time.Millisecond)
	listener, err := net.Listen("tcp", server.Address)
	require.NoError(t, err)
	gatewaytest.Serve(t, listener, gatewaytest.Options{Proto: text(t, ownProto), Key: key})
	require.Eventually(t, func() bool { return kind(read()) == wire.KindNotFound }, 10*time.Second, time.Millisecond)
}

func TestTLS(t *testing.T) {
	certificate, roots := selfSigned(t)
	server := gatewaytest.Start(t, gatewaytest.Options{
		Proto: text(t, ownProto), Key: key, TLS: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	})
	conn := dial(t, wire.Options{
		Address: server.Address, Key: key, TLS: &tls.Config{RootCAs: roots, ServerName: "gateway.test", MinVersion: tls.VersionTLS12},
	})
	registered(t, conn, load(t, ownProto))
	distrusting := dial(t, wire.Options{Address: server.Address, Key: key, TLS: &tls.Config{ServerName: "gateway.test", MinVersion: tls.VersionTLS12}})
	_, err := distrusting.OpenSession(t.Context(), load(t, ownProto), "x")
	require.Equal(t, wire.KindConnection, kind(err))
	require.ErrorContains(t, err, "certificate")
}

func TestReflectionThatIsOfNoUse(t *testing.T) {
	none := gateway(t, nil)
	_, err := dial(t, wire.Options{Address: none.Address, Key: key}).Reflect(t.Context(), "")
	require.EqualError(t, err, "the server has no reflection: give the .proto file")
	require.Equal(t, wire.KindUsage, kind(err))

	for _, tt := range []struct{ proto, service, says string }{
		{"service MxAccessGateway { rpc Invoke(M) returns (M); }", "",
			"the server's reflection cannot be used: the service test.MxAccessGateway has no unary method OpenSession"},
		{"service Gateway { rpc Invoke(M) returns (M); }", "",
			"the server's reflection cannot be used: there is no service MxAccessGateway in it, but test.Gateway"},
		{"service Gateway { rpc Invoke(M) returns (M); }", "test.M",
			"the server's reflection cannot be used: there is no service test.M in it, but test.Gateway"},
	} {
		server := gatewaytest.Start(t, gatewaytest.Options{Proto: `syntax = "proto3"; package test; message M {} ` + tt.proto, Reflection: true})
		_, err := dial(t, wire.Options{Address: server.Address}).Reflect(t.Context(), tt.service)
		if tt.service != "" {
			require.Error(t, err)

			continue
		}
		require.EqualError(t, err, tt.says)
		require.Equal(t, wire.KindProtocol, kind(err))
	}
}

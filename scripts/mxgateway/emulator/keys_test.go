package emulator_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

func TestAMissingOrWrongKeyIsUnauthenticated(t *testing.T) {
	log := &buffer{}
	config := atOnce()
	config.Log = log
	gateway := start(t, config)
	c := dial(t, gateway, "")
	for _, header := range [][]string{
		nil,
		{"authorization", ""},
		{"authorization", fullKey},
		{"authorization", "Basic " + fullKey},
		{"authorization", "Bearer "},
		{"authorization", "Bearer mxgw_full_"},
		{"authorization", "Bearer mxgw_full_second-secret"},
		{"authorization", "Bearer mxgw_nobody_first-secret"},
		{"authorization", "Bearer full_first-secret"},
		{"authorization", "Bearer " + fullKey, "authorization", "Bearer " + noReadKey},
	} {
		ctx := metadata.AppendToOutgoingContext(c.ctx, header...)
		_, err := c.OpenSession(ctx, &pb.OpenSessionRequest{})
		assert.Equal(t, codes.Unauthenticated, status.Code(err), "%v", header)
		assert.NotContains(t, err.Error(), "first-secret")
		_, err = c.Invoke(ctx, &pb.MxCommandRequest{Command: readCommand(1, 0, machine(1))})
		assert.Equal(t, codes.Unauthenticated, status.Code(err))
		assert.NotContains(t, err.Error(), "first-secret")
		events, err := c.StreamEvents(ctx, &pb.StreamEventsRequest{})
		require.NoError(t, err)
		_, err = events.Recv()
		assert.Equal(t, codes.Unauthenticated, status.Code(err))
	}
	summary := gateway.Summary()
	assert.EqualValues(t, 10, summary.Total.FailedCalls)
	assert.Equal(t, 10, strings.Count(log.String(), ",unknown,UNAUTHENTICATED,0,0\n"))
	assert.NotContains(t, log.String(), "secret")
}

func TestAKeyWithoutTheScopeIsDenied(t *testing.T) {
	gateway := start(t, atOnce())
	s := dial(t, gateway, noReadKey).open(t)
	_, err := s.subscribe(machine(1))
	require.NoError(t, err)
	_, err = s.read(machine(1))
	assert.Equal(t, codes.PermissionDenied, status.Code(err))
	assert.Contains(t, err.Error(), emulator.ScopeRead)
	events, err := s.StreamEvents(s.ctx, &pb.StreamEventsRequest{SessionId: s.id})
	require.NoError(t, err)
	_, err = events.Recv()
	assert.Equal(t, codes.PermissionDenied, status.Code(err))
	calls := gateway.Summary().Sessions[0]
	assert.Equal(t, s.id, calls.Session)
	assert.EqualValues(t, 1, calls.FailedCalls)
}

func TestEachScopeIsRequired(t *testing.T) {
	for scope, allowed := range map[string][]bool{
		"session:open": {true, false, false}, "invoke:subscribe": {false, true, false}, "invoke:read": {false, false, true}, "events:read": {false, false, false},
	} {
		keys, err := emulator.ReadKeys(strings.NewReader("mxgw_a_b " + scope))
		require.NoError(t, err)
		config := atOnce()
		config.Keys = keys
		c := dial(t, start(t, config), "mxgw_a_b")
		_, opening := c.OpenSession(c.ctx, &pb.OpenSessionRequest{})
		_, subscribing := session{client: c}.subscribe(machine(1))
		_, reading := session{client: c}.read(machine(1))
		for i, err := range []error{opening, subscribing, reading} {
			assert.Equal(t, allowed[i], status.Code(err) != codes.PermissionDenied, "%s, call %d: %v", scope, i, err)
		}
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	for text, wanted := range map[string]string{
		"":                              "there is no key in it",
		"# nothing":                     "there is no key in it",
		"\nfull_hidden invoke:read":     "line 2: it must be mxgw_<keyId>_<secret>",
		"mxgw_full invoke:read":         "line 1: it must be mxgw_<keyId>_<secret>",
		"mxgw__hidden invoke:read":      "line 1: it must be mxgw_<keyId>_<secret>",
		"mxgw_full_hidden":              `line 1: there is no scope ""`,
		"mxgw_full_hidden invoke:write": `line 1: there is no scope "invoke:write": they are session:open, invoke:subscribe, invoke:read, events:read`,
		strings.Repeat("mxgw_full_hidden invoke:read\n", 2): `line 2: the key "full" is there twice`,
		strings.Repeat("mxgw_", 100_000):                    "token too long",
	} {
		_, err := emulator.ReadKeys(strings.NewReader(text))
		require.ErrorContains(t, err, wanted)
		assert.NotContains(t, err.Error(), "hidden")
	}
}

func TestReflectionKnowsTheService(t *testing.T) {
	gateway := start(t, atOnce())
	conn, err := grpc.NewClient(gateway.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stream, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	require.NoError(t, err)
	require.NoError(t, stream.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}))
	answer, err := stream.Recv()
	require.NoError(t, err)
	var names []string
	for _, service := range answer.GetListServicesResponse().GetService() {
		names = append(names, service.GetName())
	}
	assert.Contains(t, names, "mxaccess_gateway.v1.MxAccessGateway")
}

func TestTLS(t *testing.T) {
	certificate, pool := selfSigned(t)
	config := atOnce()
	config.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	gateway := start(t, config)
	conn, err := grpc.NewClient(gateway.Address(), grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: pool})))
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+fullKey)
	_, err = pb.NewMxAccessGatewayClient(conn).OpenSession(ctx, &pb.OpenSessionRequest{})
	require.NoError(t, err)
	plain := dial(t, gateway, fullKey)
	_, err = plain.OpenSession(plain.ctx, &pb.OpenSessionRequest{})
	assert.Equal(t, codes.Unavailable, status.Code(err))
}

func selfSigned(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

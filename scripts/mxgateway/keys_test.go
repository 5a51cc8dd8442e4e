package main

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

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

func TestAMissingOrWrongKeyIsUnauthenticated(t *testing.T) {
	log := &buffer{}
	config := config{}
	config.log = log
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
		_, err = c.Invoke(ctx, &pb.MxCommandRequest{Command: readCommand(1, 0, machineTag(1))})
		assert.Equal(t, codes.Unauthenticated, status.Code(err))
		assert.NotContains(t, err.Error(), "first-secret")
	}
	summary := gateway.recorder.summary()
	assert.EqualValues(t, 10, summary.Total.FailedCalls)
	assert.Equal(t, 10, strings.Count(log.String(), ",unknown,UNAUTHENTICATED,0,0\n"))
	assert.NotContains(t, log.String(), "secret")
}

func TestAKeyWithoutTheScopeIsDenied(t *testing.T) {
	gateway := start(t, config{})
	s := dial(t, gateway, noReadKey).open(t)
	_, err := s.subscribe(machineTag(1))
	require.NoError(t, err)
	_, err = s.read(machineTag(1))
	assert.Equal(t, codes.PermissionDenied, status.Code(err))
	assert.Contains(t, err.Error(), scopeRead)
	calls := gateway.recorder.summary().Sessions[0]
	assert.Equal(t, s.id, calls.Session)
	assert.EqualValues(t, 1, calls.FailedCalls)
}

func TestEachScopeIsRequired(t *testing.T) {
	for scope, allowed := range map[string][]bool{
		"session:open": {true, false, false}, "invoke:subscribe": {false, true, false}, "invoke:read": {false, false, true}, "events:read": {false, false, false},
	} {
		c := dial(t, start(t, config{keys: "mxgw_a_b " + scope}), "mxgw_a_b")
		_, opening := c.OpenSession(c.ctx, &pb.OpenSessionRequest{})
		_, subscribing := clientSession{client: c}.subscribe(machineTag(1))
		_, reading := clientSession{client: c}.read(machineTag(1))
		for i, err := range []error{opening, subscribing, reading} {
			assert.Equal(t, allowed[i], status.Code(err) != codes.PermissionDenied, "%s, call %d: %v", scope, i, err)
		}
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	for text, wanted := range map[string]string{
		"": "line 1: it must be mxgw_<keyId>_<secret>",
		"mxgw_a_b invoke:read\nfull_hidden invoke:read": "line 2: it must be mxgw_<keyId>_<secret>",
		"mxgw_full invoke:read":                         "line 1: it must be mxgw_<keyId>_<secret>",
		"mxgw__hidden invoke:read":                      "line 1: it must be mxgw_<keyId>_<secret>",
		"mxgw_full_hidden":                              `line 1: there is no scope ""`,
		"mxgw_full_hidden invoke:write":                 `line 1: there is no scope "invoke:write": they are session:open, invoke:subscribe, invoke:read, events:read`,
	} {
		_, err := readKeys(secretFile(t, text))
		require.ErrorContains(t, err, wanted)
		assert.NotContains(t, err.Error(), "hidden")
	}
}

func TestReflectionKnowsTheService(t *testing.T) {
	gateway := start(t, config{})
	conn, err := grpc.NewClient(gateway.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
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
	config := config{}
	config.tls = credentials.NewServerTLSFromCert(&certificate)
	gateway := start(t, config)
	conn, err := grpc.NewClient(gateway.address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: pool})))
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

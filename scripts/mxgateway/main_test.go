package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	pb "github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/gatewaypb"
)

const secret = "hidden-secret"

func secretFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

func goodKeys(t *testing.T) string {
	t.Helper()
	return secretFile(t, "mxgw_test_"+secret+" session:open,invoke:subscribe,invoke:read\n")
}

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

func (b *buffer) find(t *testing.T, pattern string) string {
	t.Helper()
	var found []string
	require.Eventually(t, func() bool {
		found = regexp.MustCompile(pattern).FindStringSubmatch(b.String())
		return found != nil
	}, 10*time.Second, 5*time.Millisecond, pattern)
	return found[1]
}

func TestServesAndPrintsASummary(t *testing.T) {
	said, out := &buffer{}, &buffer{}
	log.SetOutput(said)
	defer log.SetOutput(os.Stderr)
	calls := filepath.Join(t.TempDir(), "calls.csv")
	settings, err := readFlags([]string{"-keys", goodKeys(t), "-shape", "none", "-log", calls, "-seed", "7", "-fault", "kind=items,items=1,calls=1"}, io.Discard)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, settings, out) }()
	address := said.find(t, `listening at (127\.0\.0\.1:\d+)`)
	port := said.find(t, `control port at (http://127\.0\.0\.1:\d+)`)
	assert.Contains(t, said.String(), "this is an emulator of an MXAccess gateway")
	assert.Contains(t, said.String(), "seed 7")

	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close()) }()
	gateway := pb.NewMxAccessGatewayClient(conn)
	with := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer mxgw_test_"+secret)
	opened, err := gateway.OpenSession(with, &pb.OpenSessionRequest{ClientSessionName: "mine"})
	require.NoError(t, err)
	assert.Contains(t, opened.GetBackendName(), "emulator")
	read := &pb.MxCommandRequest{SessionId: opened.GetSessionId(), Command: &pb.MxCommand{
		Kind: pb.MxCommandKind_MX_COMMAND_KIND_READ_BULK, Payload: &pb.MxCommand_ReadBulk{ReadBulk: &pb.ReadBulkCommand{ServerHandle: 1}},
	}}
	reply, err := gateway.Invoke(with, read)
	require.NoError(t, err)
	assert.Equal(t, pb.ProtocolStatusCode_PROTOCOL_STATUS_CODE_INVALID_SERVER_HANDLE, reply.GetProtocolStatus().GetCode(), "nothing is registered")

	response, err := http.Get(port + "/") //nolint:noctx // a server of this test
	require.NoError(t, err)
	var identity map[string]any
	require.NoError(t, json.NewDecoder(response.Body).Decode(&identity))
	require.NoError(t, response.Body.Close())
	assert.Equal(t, address, identity["address"])

	stop()
	require.NoError(t, <-ended)
	assert.Regexp(t, `"total": {\s+"totalCalls": 1,`, out.String())
	assert.Contains(t, out.String(), "emulator")
	lines, err := os.ReadFile(calls)
	require.NoError(t, err)
	assert.Regexp(t, `\n\d+,\d+,session-1,PROTOCOL_STATUS_CODE_INVALID_SERVER_HANDLE,0,0\n$`, string(lines))
	for _, text := range []string{said.String(), out.String(), string(lines)} {
		assert.NotContains(t, text, secret)
	}
}

func TestInvalidFlags(t *testing.T) {
	keys := goodKeys(t)
	for flags, wanted := range map[string]string{
		"":                            "-keys is missing",
		"-keys K extra":               `there is no argument "extra"`,
		"-keys K -colour red":         "not defined: -colour",
		"-keys K -shape odd":          `-shape is "odd": it must be published or none`,
		"-keys K -tls-cert x":         "-tls-cert and -tls-key go together",
		"-keys K -fault kind=explode": "it must be one of status",
		"-keys K -control 0.0.0.0:1":  "it must be a port of this machine only",
		"-keys K -control elsewhere":  "it must be a port of this machine only",
	} {
		_, err := readFlags(strings.Fields(strings.ReplaceAll(flags, "K", keys)), io.Discard)
		require.ErrorContains(t, err, wanted, flags)
		assert.NotContains(t, err.Error(), "\n")
	}
}

func TestHelpNamesEveryFlagWithItsUnit(t *testing.T) {
	help := &buffer{}
	_, err := readFlags([]string{"-help"}, help)
	require.ErrorIs(t, err, flag.ErrHelp)
	for _, name := range []string{"-listen address", "-fault fault", "-seed number"} {
		assert.Contains(t, help.String(), name)
	}
}

func TestItDoesNotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { assert.NoError(t, taken.Close()) }()
	keys, nowhere := goodKeys(t), filepath.Join(t.TempDir(), "no", "where")
	bad := secretFile(t, "mxgw_test_"+secret+" everything\n")
	for wanted, flags := range map[string][]string{
		"-listen: listen tcp":            {"-keys", keys, "-listen", taken.Addr().String()},
		"-control: listen tcp":           {"-keys", keys, "-control", taken.Addr().String()},
		"-keys: open":                    {"-keys", nowhere},
		`there is no scope "everything"`: {"-keys", bad},
		"-log: open":                     {"-keys", keys, "-log", nowhere},
		"-tls-cert, -tls-key: open":      {"-keys", keys, "-tls-cert", nowhere, "-tls-key", nowhere},
	} {
		settings, err := readFlags(flags, io.Discard)
		require.NoError(t, err)
		err = run(t.Context(), settings, io.Discard)
		require.ErrorContains(t, err, wanted)
		assert.NotContains(t, err.Error(), secret)
	}
}

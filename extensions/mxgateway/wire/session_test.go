package wire_test

import (
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/gatewaytest"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

func TestFlow(t *testing.T) {
	for _, proto := range []string{ownProto, vendorProto} {
		for _, reflected := range []bool{false, true} {
			server := gatewaytest.Start(t, gatewaytest.Options{Proto: text(t, proto), Key: key, Reflection: true})
			conn := dial(t, wire.Options{Address: server.Address, Key: key})
			schema := load(t, proto)
			if reflected {
				var err error
				schema, err = conn.Reflect(t.Context(), "")
				require.NoError(t, err)
				require.Equal(t, load(t, proto).Service(), schema.Service())
			}
			flow(t, conn, schema, proto == ownProto)
			require.Zero(t, server.Sessions())
			require.Equal(t, 3, server.Reads())
			received, sent := conn.Traffic()
			require.Positive(t, received)
			require.Positive(t, sent)
			again, more := conn.Traffic()
			require.Less(t, again+more, received, "it is counted from the call before on; gRPC may have sent a ping")
		}
	}
}

func flow(t *testing.T, conn *wire.Conn, schema *wire.Schema, own bool) {
	t.Helper()
	session, err := conn.OpenSession(t.Context(), schema, "flow")
	require.NoError(t, err)
	require.Equal(t, "session-1", session.SessionID)
	require.Equal(t, "gatewaytest for flow", session.BackendName)
	handle, err := session.Register(t.Context(), "flow")
	require.NoError(t, err)
	require.EqualValues(t, 7, handle)
	items, err := session.Subscribe(t.Context(), append([]string{"Unknown.x"}, tags...))
	require.NoError(t, err)
	require.Len(t, items, 7)
	require.False(t, items[0].Successful)
	require.True(t, items[6].Successful)
	require.EqualValues(t, 7, items[6].Handle)

	results, err := session.ReadBulk(t.Context(), tags, time.Second)
	require.NoError(t, err)
	require.Len(t, results, 6)
	want := wire.Result{Tag: "B.x", Handle: 2, Successful: true, Cached: true, Value: int64(101), Timestamp: "2026-01-01T00:00:00Z"}
	if own {
		want.Quality = 192
		require.Equal(t, wire.Item{Tag: "Unknown.x", ErrorMessage: "no such tag"}, items[0])
	}
	require.Equal(t, want, results[1])

	reader := session.Repeated(tags, time.Second, time.Second)
	for range 2 {
		counts, err := reader.Read(reader.Context(t.Context()))
		require.NoError(t, err)
		require.Equal(t, wire.Counts{Results: 6, Cached: 6}, counts)
	}
	items, err = session.Unsubscribe(t.Context(), []int64{2, 3, 4, 5, 6, 7})
	require.NoError(t, err)
	require.Len(t, items, 6)
	require.EqualValues(t, 7, items[5].Handle)
	require.NoError(t, session.Close(t.Context()))
	require.Equal(t, "not_found", kind(session.Close(t.Context())))
}

func kind(err error) string {
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Kind
	}

	return ""
}

func code(err error) codes.Code {
	var e *wire.Error
	errors.As(err, &e)

	return e.Code
}

func TestOutcomes(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  gatewaytest.Answer
		counts  wire.Counts
		kind    string
		code    codes.Code
		message string
	}{
		"all is well":    {counts: wire.Counts{Results: 6, Cached: 6}},
		"items fail":     {answer: gatewaytest.Answer{Failed: 2}, counts: wire.Counts{Results: 6, Cached: 4, Failed: 2}},
		"not cached":     {answer: gatewaytest.Answer{Failed: 1, Uncached: 3}, counts: wire.Counts{Results: 6, Cached: 2, Failed: 1}},
		"all items fail": {answer: gatewaytest.Answer{Failed: 6}, counts: wire.Counts{Results: 6, Failed: 6}},
		"a result is missing": {
			answer: gatewaytest.Answer{Missing: 1}, kind: wire.KindProtocol, message: "the reply has 5 results for 6 tags",
		},
		"no payload": {answer: gatewaytest.Answer{Empty: true}, kind: wire.KindProtocol, message: "the reply has no bulk_read"},
		"protocol status": {
			answer: gatewaytest.Answer{Code: 2, Message: "no such\nhandle"}, kind: wire.KindCommand,
			message: "the gateway says: no such handle (protocol status 2)",
		},
		"protocol status without a reason": {
			answer: gatewaytest.Answer{Code: 1}, kind: wire.KindCommand, message: "the gateway's protocol status is 1",
		},
		"hresult": {
			answer: gatewaytest.Answer{HResult: -2147467259}, kind: wire.KindCommand, message: "the command failed with hresult 0x80004005",
		},
		"an hresult that is no failure": {answer: gatewaytest.Answer{HResult: 1}, counts: wire.Counts{Results: 6, Cached: 6}},
		"unavailable": {
			answer: gatewaytest.Answer{Err: status.Error(codes.Unavailable, "later")}, kind: wire.KindBusy, code: codes.Unavailable,
			message: "UNAVAILABLE: later",
		},
		"no scope": {
			answer: gatewaytest.Answer{Err: status.Error(codes.PermissionDenied, "not with "+key)}, kind: wire.KindAuth,
			code: codes.PermissionDenied, message: "PERMISSION_DENIED: not with ***",
		},
		"no room": {
			answer: gatewaytest.Answer{Err: status.Error(codes.ResourceExhausted, "later")}, kind: wire.KindBusy,
			code: codes.ResourceExhausted, message: "RESOURCE_EXHAUSTED: later",
		},
		"no such session": {
			answer: gatewaytest.Answer{Err: status.Error(codes.NotFound, "gone")}, kind: wire.KindNotFound,
			code: codes.NotFound, message: "NOT_FOUND: gone",
		},
		"there already": {
			answer: gatewaytest.Answer{Err: status.Error(codes.AlreadyExists, "twice")}, kind: wire.KindConflict,
			code: codes.AlreadyExists, message: "ALREADY_EXISTS: twice",
		},
		"a fault of the server's": {
			answer: gatewaytest.Answer{Err: status.Error(codes.Internal, "broken")}, kind: wire.KindServer,
			code: codes.Internal, message: "INTERNAL: broken",
		},
		"a code that gRPC does not know": {
			answer: gatewaytest.Answer{Err: status.Error(77, strings.Repeat("long ", 100))}, kind: wire.KindServer, code: 77,
			message: "code 77: " + strings.Repeat("long ", 60)[:300] + "...",
		},
		"cancelled": {
			answer: gatewaytest.Answer{Err: status.Error(codes.Canceled, "")}, kind: wire.KindCancelled, code: codes.Canceled,
			message: "CANCELLED: the server gave no reason",
		},
		"garbage": {
			answer: gatewaytest.Answer{Raw: []byte{0xff, 0xff, 0xff}}, kind: wire.KindProtocol,
			message: "the reply is not a message",
		},
		"another type than the .proto says": {
			answer: gatewaytest.Answer{Raw: []byte{0x20, 0x01}}, kind: wire.KindProtocol,
			message: "the reply has no bulk_read",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := gateway(t, func(context.Context, int) gatewaytest.Answer { return tt.answer })
			session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), load(t, ownProto))
			reader := session.Repeated(tags, 0, 5*time.Second)
			for range 2 {
				counts, err := reader.Read(reader.Context(t.Context()))
				require.Equal(t, tt.counts, counts)
				require.Equal(t, tt.kind, kind(err))
				if tt.kind != "" {
					require.EqualError(t, err, tt.message)
					require.Equal(t, tt.code, code(err))
				}
			}
			results, err := session.ReadBulk(t.Context(), tags, 0)
			require.Equal(t, tt.kind, kind(err))
			require.Len(t, results, tt.counts.Results)
		})
	}
}

// If the code of success is not 0, a status without a code is a failure, and a reply without a
// status is not.
func TestNonZeroSuccessCode(t *testing.T) {
	own := strings.Replace(text(t, ownProto), "PROTOCOL_STATUS_CODE_OK = 0;",
		"PROTOCOL_STATUS_CODE_UNSPECIFIED = 0; PROTOCOL_STATUS_CODE_OK = 77;", 1)
	schema, err := loadText(own, "")
	require.NoError(t, err)
	server := gatewaytest.Start(t, gatewaytest.Options{Proto: own, Key: key, Read: func(_ context.Context, n int) gatewaytest.Answer {
		if n == 1 {
			return gatewaytest.Answer{Raw: []byte{0x22, 0x00}} // protocol_status {}
		}

		return gatewaytest.Answer{}
	}})
	session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), schema)
	_, err = session.ReadBulk(t.Context(), tags, 0)
	require.EqualError(t, err, "the gateway's protocol status is 0")
	_, err = session.ReadBulk(t.Context(), tags, 0)
	require.NoError(t, err)
}

// A server may repeat the key, or only its secret. A short secret may be an ordinary word.
func TestNoErrorShowsTheKey(t *testing.T) {
	for _, tt := range []struct{ key, said, shown string }{
		{"mxgw_id_abcdefghijkl", "mxgw_id_abcdefghijkl, abcdefghijkl", "***, ***"},
		{"mxgw_id_abcdef_hijkl", "abcdef_hijkl", "***"},
		{"mxgw_id_abcdefghijk", "mxgw_id_abcdefghijk, abcdefghijk", "***, abcdefghijk"},
		{"abcdefghijklm", "abcdefghijklm is no key", "*** is no key"},
	} {
		server := gatewaytest.Start(t, gatewaytest.Options{
			Proto: text(t, ownProto), Key: tt.key,
			Read: func(context.Context, int) gatewaytest.Answer {
				return gatewaytest.Answer{Err: status.Error(codes.PermissionDenied, tt.said)}
			},
		})
		session := registered(t, dial(t, wire.Options{Address: server.Address, Key: tt.key}), load(t, ownProto))
		_, err := session.ReadBulk(t.Context(), tags, 0)
		require.EqualError(t, err, "PERMISSION_DENIED: "+tt.shown)
	}
}

func TestWrongKey(t *testing.T) {
	server := gateway(t, nil)
	for _, wrong := range []string{"", "mxgw_id_other"} {
		_, err := dial(t, wire.Options{Address: server.Address, Key: wrong}).OpenSession(t.Context(), load(t, ownProto), "x")
		require.Equal(t, wire.KindAuth, kind(err))
		require.EqualError(t, err, "UNAUTHENTICATED: the key is wrong")
	}
}

func TestRequestBytes(t *testing.T) {
	golden := strings.Join([]string{
		"0a 09 73657373696f6e2d31",               // 1 session_id: session-1
		"1a 13",                                  // 3 command
		"08 04",                                  // 1 kind: MX_COMMAND_KIND_READ_BULK
		"6a 0f",                                  // 13 read_bulk
		"08 07",                                  // 1 server_handle: 7
		"12 03 412e78 12 03 422e78",              // 2 tag_addresses: A.x, B.x
		"18 dc0b",                                // 3 timeout_ms: 1500
		"12 10 30303030303030303030303030303030", // 2 correlation_id
	}, "")
	server := gateway(t, nil)
	session := registered(t, dial(t, wire.Options{Address: server.Address, Key: key}), load(t, ownProto))
	reader := session.Repeated([]string{"A.x", "B.x"}, 1500*time.Millisecond, time.Second)
	require.Equal(t, strings.ReplaceAll(golden, " ", ""), hex.EncodeToString(reader.Request()))
	_, err := reader.Read(reader.Context(t.Context()))
	require.NoError(t, err)
	require.Equal(t, "0000000000000001", string(reader.Request()[len(reader.Request())-16:]))
}

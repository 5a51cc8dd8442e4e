package wire

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	codepb "google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Kinds of errors. Other gRPC codes (https://grpc.io/docs/guides/status-codes) are KindServer.
const (
	KindConnect    = "connect"    // the server could not be reached within the connect timeout
	KindConnection = "connection" // no connection: UNAVAILABLE from gRPC's client
	KindTimeout    = "timeout"    // no answer in time: DEADLINE_EXCEEDED
	KindCancelled  = "cancelled"  // the test ended: CANCELLED
	KindAuth       = "auth"       // a wrong key, or one without permission: UNAUTHENTICATED, PERMISSION_DENIED
	KindBusy       = "busy"       // RESOURCE_EXHAUSTED, and UNAVAILABLE from the server
	KindNotFound   = "not_found"  // NOT_FOUND
	KindConflict   = "conflict"   // ALREADY_EXISTS
	KindServer     = "server"     // any other status of the server
	KindCommand    = "command"    // the call was answered, but the command failed, by protocol_status or hresult
	KindProtocol   = "protocol"   // the reply does not fit the request
	KindUsage      = "usage"      // the call itself is wrong; nothing was sent
)

//nolint:gochecknoglobals // a table
var kinds = map[codes.Code]string{
	codes.Unavailable: KindConnection, codes.DeadlineExceeded: KindTimeout, codes.Canceled: KindCancelled,
	codes.Unauthenticated: KindAuth, codes.PermissionDenied: KindAuth, codes.ResourceExhausted: KindBusy,
	codes.NotFound: KindNotFound, codes.AlreadyExists: KindConflict,
}

func kindOf(code codes.Code, answered bool) string {
	if code == codes.Unavailable && answered {
		return KindBusy
	}

	return cmp.Or(kinds[code], KindServer)
}

// Error is the error of a call.
type Error struct {
	Kind    string
	Code    codes.Code // gRPC's status; OK for other errors
	Message string
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error that has no gRPC status.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

const maxSaid = 300

// failed removes the key and its secret, which a server might repeat.
func failed(err error, key string, answered bool) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	s := status.Convert(err)
	message := oneLine(s.Message(), key)
	if message == "" {
		message = "the server gave no reason"
	}

	return &Error{Kind: kindOf(s.Code(), answered), Code: s.Code(), Message: fmt.Sprintf("%s: %s", name(s.Code()), message)}
}

func name(code codes.Code) string {
	if known, is := codepb.Code_name[int32(code)]; is {
		return known
	}

	return fmt.Sprintf("code %d", code)
}

// shortestSecret is the minimum length of a secret to be removed where it appears alone: a shorter
// one may be an ordinary word.
const shortestSecret = 12

func withoutKey(text, key string) string {
	const instead = "***"
	if key == "" {
		return text
	}
	text = strings.ReplaceAll(text, key, instead)
	if parts := strings.SplitN(key, "_", 3); len(parts) == 3 && len(parts[2]) >= shortestSecret { // mxgw_<keyId>_<secret>
		text = strings.ReplaceAll(text, parts[2], instead)
	}

	return text
}

func oneLine(text, key string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(withoutKey(text, key), "?")), " ")
	if len(text) > maxSaid {
		text = strings.ToValidUTF8(text[:maxSaid], "") + "..."
	}

	return text
}

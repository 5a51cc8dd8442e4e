package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

// Kinds of errors, as scripts see them in an exception's property kind and in the tag outcome.
const (
	KindConnect       = "connect"        // no server could be reached within connectTimeout
	KindConnection    = "connection"     // the connection is broken, or is just being made again
	KindTimeout       = "timeout"        // no answer within timeout
	KindCancelled     = "cancelled"      // the test ended
	KindAuth          = "auth"           // the server does not let this user in, or not do this
	KindNoResponders  = "no_responders"  // nobody listens to the subject; no stream takes it
	KindNotFound      = "not_found"      // there is no such stream, consumer, bucket, object or message
	KindConflict      = "conflict"       // it exists already
	KindWrongSequence = "wrong_sequence" // the last sequence or revision is another one than expected
	KindTooLarge      = "too_large"      // the message is larger than the server or the stream takes
	KindFull          = "full"           // the stream holds as much as it may
	KindSlowConsumer  = "slow_consumer"  // messages were dropped: more came than were taken
	KindUsage         = "usage"          // the call itself is wrong; nothing was sent
	KindServer        = "server"         // any other error of the server
	KindInternal      = crash.Kind       // a fault in k6's extensions; its stack is in the log
)

// Error is what goes wrong with an operation.
type Error struct {
	Kind    string
	Code    int // of JetStream's API; 0 for errors that are not JetStream's
	Message string
}

// Error returns the message with the server's code.
func (e *Error) Error() string {
	if e.Code != 0 {
		return fmt.Sprintf("%s (JetStream error %d)", e.Message, e.Code)
	}

	return e.Message
}

func newError(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

func errTestEnded() *Error { return newError(KindCancelled, "the test ended before the answer came") }

// kinds are the errors of nats.go by what they mean. The first that matches counts.
var kinds = []struct { //nolint:gochecknoglobals // a table
	kind string
	errs []error
}{
	{KindTimeout, []error{
		context.DeadlineExceeded, natsio.ErrTimeout, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs,
		jetstream.ErrNoHeartbeat, natsio.ErrDrainTimeout,
	}},
	{KindCancelled, []error{context.Canceled}},
	{KindNoResponders, []error{natsio.ErrNoResponders, jetstream.ErrNoStreamResponse}},
	{KindAuth, []error{
		natsio.ErrAuthorization, natsio.ErrAuthExpired, natsio.ErrAuthRevoked, natsio.ErrAccountAuthExpired,
		natsio.ErrPermissionViolation, natsio.ErrNkeysNotSupported,
	}},
	{KindConflict, []error{
		jetstream.ErrBucketExists, jetstream.ErrStreamNameAlreadyInUse, jetstream.ErrConsumerExists,
		jetstream.ErrConsumerNameAlreadyInUse, jetstream.ErrObjectAlreadyExists,
	}},
	{KindWrongSequence, []error{jetstream.ErrKeyRevisionMismatch}},
	{KindNotFound, []error{
		jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDoesNotExist, jetstream.ErrMsgNotFound,
		jetstream.ErrBucketNotFound, jetstream.ErrKeyNotFound, jetstream.ErrKeyDeleted, jetstream.ErrObjectNotFound,
		jetstream.ErrConsumerDeleted, kvlayout.ErrNotFound, kvlayout.ErrEmpty,
	}},
	{KindTooLarge, []error{natsio.ErrMaxPayload, jetstream.ErrStreamMessageExceedsMaximum, jetstream.ErrMaxBytesExceeded}},
	{KindSlowConsumer, []error{natsio.ErrSlowConsumer}},
	{KindUsage, []error{
		natsio.ErrBadSubject, natsio.ErrBadQueueName, natsio.ErrBadHeaderMsg, natsio.ErrHeadersNotSupported, natsio.ErrInvalidMsg,
		natsio.ErrBadSubscription, jetstream.ErrInvalidKey, jetstream.ErrInvalidBucketName,
		jetstream.ErrInvalidStreamName, jetstream.ErrInvalidConsumerName, jetstream.ErrInvalidSubject, jetstream.ErrInvalidOption,
		jetstream.ErrStreamNameRequired, jetstream.ErrMsgAlreadyAckd, jetstream.ErrNotPullConsumer, jetstream.ErrNotPushConsumer,
		jetstream.ErrInvalidStoreName, jetstream.ErrNameRequired, jetstream.ErrBadObjectMeta, jetstream.ErrHistoryTooLarge,
		jetstream.ErrOrderConsumerUsedAsConsume, jetstream.ErrOrderConsumerUsedAsFetch,
		jetstream.ErrOrderedConsumerConcurrentRequests, jetstream.ErrMsgNoReply, natsio.ErrMsgNoReply,
		kvlayout.ErrKey, kvlayout.ErrName, kvlayout.ErrMetadata,
	}},
	{KindServer, []error{
		jetstream.ErrBadBucket, jetstream.ErrInvalidJSAck, jetstream.ErrInvalidJetStreamResponse, jetstream.ErrDigestMismatch,
		jetstream.ErrMsgDeleteUnsuccessful, jetstream.ErrBadRequest, kvlayout.ErrValue,
	}},
}

// storeFailed is the code of JetStream's errors of messages that a stream did not store, such as "maximum messages exceeded".
const storeFailed = 10077

// asError makes an Error of any error.
func asError(err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	if crash.Is(err) {
		return newError(KindInternal, "%s", err)
	}
	if told, is := errors.AsType[*k6mod.Error](err); is {
		return &Error{Kind: told.Kind, Code: told.Code, Message: told.Message}
	}
	e := &Error{Kind: KindConnection, Message: plain(err)}
	if broken := natsio.ErrReconnectBufExceeded; errors.Is(err, broken) {
		e.Message = "the connection is broken, and is being made again"
	}
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		e.Kind, e.Code, e.Message = KindServer, int(api.APIError().ErrorCode), api.APIError().Description
		if e.Message == "" {
			e.Message = plain(err)
		}
	}
	for _, k := range kinds {
		if slices.ContainsFunc(k.errs, func(known error) bool { return errors.Is(err, known) }) {
			e.Kind = k.kind

			return e
		}
	}
	switch {
	case e.Code == int(jetstream.JSErrCodeStreamWrongLastSequence), e.Code == int(jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		e.Kind = KindWrongSequence
	case e.Code == storeFailed && strings.HasPrefix(e.Message, "maximum "):
		e.Kind = KindFull
	case e.Code == 0 && strings.Contains(strings.ToLower(e.Message), "permissions violation"):
		e.Kind = KindAuth
	}

	return e
}

// plain is a message of nats.go's without its name.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "nats: ") }

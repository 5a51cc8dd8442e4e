package nats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

const (
	kindNoResponders  = "no_responders"  // no one listens to the subject; no stream stores it
	kindWrongSequence = "wrong_sequence" // the last sequence or revision is not the expected one
	kindSlowConsumer  = "slow_consumer"  // messages were dropped because too many were waiting
)

// The first match counts.
var kinds = []struct { //nolint:gochecknoglobals // a table
	kind string
	errs []error
}{
	{k6x.KindTimeout, []error{
		context.DeadlineExceeded, natsio.ErrTimeout, jetstream.ErrAsyncPublishTimeout, jetstream.ErrNoHeartbeat, natsio.ErrDrainTimeout,
	}},
	{k6x.KindBusy, []error{jetstream.ErrTooManyStalledMsgs, natsio.ErrMaxConnectionsExceeded, natsio.ErrMaxSubscriptionsExceeded}},
	{k6x.KindCancelled, []error{context.Canceled}},
	{kindNoResponders, []error{natsio.ErrNoResponders, jetstream.ErrNoStreamResponse}},
	{k6x.KindAuth, []error{
		natsio.ErrAuthorization, natsio.ErrAuthExpired, natsio.ErrAuthRevoked, natsio.ErrAccountAuthExpired,
		natsio.ErrPermissionViolation, natsio.ErrNkeysNotSupported,
	}},
	{k6x.KindConflict, []error{
		jetstream.ErrBucketExists, jetstream.ErrStreamNameAlreadyInUse, jetstream.ErrConsumerExists,
		jetstream.ErrConsumerNameAlreadyInUse, jetstream.ErrObjectAlreadyExists,
	}},
	{kindWrongSequence, []error{jetstream.ErrKeyRevisionMismatch}},
	{k6x.KindNotFound, []error{
		jetstream.ErrStreamNotFound, jetstream.ErrConsumerNotFound, jetstream.ErrConsumerDoesNotExist, jetstream.ErrMsgNotFound,
		jetstream.ErrBucketNotFound, jetstream.ErrKeyNotFound, jetstream.ErrKeyDeleted, jetstream.ErrObjectNotFound,
		jetstream.ErrConsumerDeleted, kvlayout.ErrNotFound, kvlayout.ErrEmpty,
	}},
	{k6x.KindTooLarge, []error{natsio.ErrMaxPayload, jetstream.ErrStreamMessageExceedsMaximum, jetstream.ErrMaxBytesExceeded}},
	{kindSlowConsumer, []error{natsio.ErrSlowConsumer}},
	{k6x.KindUsage, []error{
		natsio.ErrBadSubject, natsio.ErrBadQueueName, natsio.ErrBadHeaderMsg, natsio.ErrHeadersNotSupported, natsio.ErrInvalidMsg,
		natsio.ErrBadSubscription, jetstream.ErrInvalidKey, jetstream.ErrInvalidBucketName,
		jetstream.ErrInvalidStreamName, jetstream.ErrInvalidConsumerName, jetstream.ErrInvalidSubject, jetstream.ErrInvalidOption,
		jetstream.ErrStreamNameRequired, jetstream.ErrMsgAlreadyAckd, jetstream.ErrNotPullConsumer, jetstream.ErrNotPushConsumer,
		jetstream.ErrInvalidStoreName, jetstream.ErrNameRequired, jetstream.ErrBadObjectMeta, jetstream.ErrHistoryTooLarge,
		jetstream.ErrOrderConsumerUsedAsConsume, jetstream.ErrOrderConsumerUsedAsFetch,
		jetstream.ErrOrderedConsumerConcurrentRequests, jetstream.ErrMsgNoReply, natsio.ErrMsgNoReply,
		kvlayout.ErrKey, kvlayout.ErrName, kvlayout.ErrMetadata,
	}},
	{k6x.KindServer, []error{
		jetstream.ErrBadBucket, jetstream.ErrMsgDeleteUnsuccessful, jetstream.ErrBadRequest, kvlayout.ErrValue,
	}},
	{k6x.KindProtocol, []error{jetstream.ErrInvalidJSAck, jetstream.ErrInvalidJetStreamResponse, jetstream.ErrDigestMismatch}},
}

// storeFailed is JetStream's code for a message that was not stored, such as "maximum messages
// exceeded".
const storeFailed = 10077

// ttlDisabled is JetStream's code for a message with a ttl that its stream or bucket does not
// allow.
const ttlDisabled = 10166

func scriptError(err error) k6x.Error { return k6x.As(err, asError) }

func asError(err error) k6x.Error {
	own, is := errors.AsType[*wire.Error](err)
	switch {
	case !is:
		return fromNatsGo(err)
	case own.Code != 0:
		return fromNatsGo(&jetstream.APIError{ErrorCode: jetstream.ErrorCode(own.Code), Description: own.Message})
	default:
		return k6x.Error{Kind: own.Kind, Message: plain(err), Cause: err}
	}
}

func fromNatsGo(err error) k6x.Error { //nolint:cyclop // one case for each error
	e := k6x.Error{Kind: k6x.KindConnection, Message: plain(err)}
	if errors.Is(err, natsio.ErrReconnectBufExceeded) {
		e.Message = "the connection is broken and is being restored"
	}
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		e.Kind, e.Code, e.Message = k6x.KindServer, int(api.APIError().ErrorCode), api.APIError().Description
		if e.Message == "" {
			e.Message = plain(err)
		}
		e.Message = withCode(e.Message, e.Code)
	}
	switch {
	case errors.Is(err, jetstream.ErrBucketNotFound):
		e.Message += ": create it with createKeyValue or createObjectStore"
	case e.Code == ttlDisabled:
		e.Message += ": a bucket has it with the option limitMarkerTtl of createKeyValue"
	}
	for _, k := range kinds {
		if slices.ContainsFunc(k.errs, func(known error) bool { return errors.Is(err, known) }) {
			e.Kind = k.kind

			return e
		}
	}
	switch {
	case e.Code == int(jetstream.JSErrCodeStreamWrongLastSequence), e.Code == int(jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		e.Kind = kindWrongSequence
	case e.Code == storeFailed && strings.HasPrefix(e.Message, "maximum "):
		e.Kind = k6x.KindFull
	case e.Code == 0 && strings.Contains(strings.ToLower(e.Message), "permissions violation"):
		e.Kind = k6x.KindAuth
	case e.Code == 0:
		if said, is := errors.AsType[*wire.Error](wire.Complaint([]byte(e.Message))); is {
			e.Kind = said.Kind
		}
	}

	return e
}

// isMissing reports whether err means that there is no such key, message or object.
func isMissing(err error) bool {
	return slices.ContainsFunc([]error{
		jetstream.ErrKeyNotFound, jetstream.ErrObjectNotFound, jetstream.ErrMsgNotFound, kvlayout.ErrNotFound,
	}, func(missing error) bool { return errors.Is(err, missing) })
}

func withCode(message string, code int) string {
	if code == 0 {
		return message
	}

	return fmt.Sprintf("%s (JetStream error %d)", message, code)
}

func plain(err error) string { return strings.TrimPrefix(err.Error(), "nats: ") }

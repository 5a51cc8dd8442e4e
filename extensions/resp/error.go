package resp

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

// maxSaid is how much of what a server sent an error shows, in bytes.
const maxSaid = 200

// asError says what an error of go-redis or of the network is.
func asError(err error) k6mod.Error {
	e := k6mod.Error{Cause: err}
	var network net.Error
	if said, is := errors.AsType[redis.Error](err); is {
		e.Kind, e.Message = kindOf(said.Error()), "the server says: "+short(said.Error())

		return e
	}
	switch {
	case errors.Is(err, context.Canceled):
		e.Kind, e.Message = k6mod.KindCancelled, "the test ended before the answer came"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		e.Kind, e.Message = k6mod.KindTimeout, "no answer within timeout"
	default:
		e.Kind, e.Message = k6mod.KindConnection, "the connection broke: "+describe(err)
	}

	return e
}

// kindOf tells errors of servers apart by their first word, as Redis means it.
func kindOf(said string) string {
	switch word, _, _ := strings.Cut(said, " "); word {
	case "OOM":
		return k6mod.KindFull
	case "NOAUTH", "WRONGPASS", "NOPERM":
		return k6mod.KindAuth
	default:
		return k6mod.KindServer
	}
}

// describe is an error of the network without addresses, which differ from client to client.
func describe(err error) string {
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}

	return short(err.Error())
}

func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > maxSaid {
		return strings.ToValidUTF8(text[:maxSaid], "") + "..."
	}

	return text
}

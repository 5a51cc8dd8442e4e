package machbase

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// kindExpect is the kind of an answer that does not meet expect or minRows.
const kindExpect = "expect"

func asError(err error) k6x.Error {
	if known, is := errors.AsType[*cmi.Error](err); is {
		return k6x.Error{Kind: known.Kind, Code: known.Code, Message: known.Error(), Cause: known}
	}

	return k6x.Error{Kind: k6x.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}

func breaks(e *k6x.Error) bool {
	switch e.Kind {
	case k6x.KindConnect, k6x.KindConnection, k6x.KindProtocol, k6x.KindTimeout, k6x.KindInternal:
		return true
	case k6x.KindCancelled: // with a code, the server has cancelled only the query
		return e.Code == 0
	default:
		return false
	}
}

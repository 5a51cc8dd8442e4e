package machbase

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// kindExpect is the kind of an answer that does not meet expect or minRows.
const kindExpect = "expect"

func asError(err error) k6mod.Error {
	if known, is := errors.AsType[*cmi.Error](err); is {
		return k6mod.Error{Kind: known.Kind, Code: known.Code, Message: known.Error(), Cause: known}
	}

	return k6mod.Error{Kind: k6mod.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}

func breaks(e *k6mod.Error) bool {
	switch e.Kind {
	case k6mod.KindConnect, k6mod.KindConnection, k6mod.KindProtocol, k6mod.KindTimeout, k6mod.KindInternal:
		return true
	case k6mod.KindCancelled: // with a code, the server has cancelled only the query
		return e.Code == 0
	default:
		return false
	}
}

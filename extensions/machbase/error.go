package machbase

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// kindExpect is the kind of the error of an answer that is not what was expected. The other kinds
// are those of all modules and of package cmi.
const kindExpect = "expect"

// asError says what an error of a driver is.
func asError(err error) k6mod.Error {
	if known, is := errors.AsType[*cmi.Error](err); is {
		return k6mod.Error{Kind: known.Kind, Code: known.Code, Message: known.Error(), Cause: known}
	}

	return k6mod.Error{Kind: k6mod.KindConnection, Message: "the connection broke: " + err.Error(), Cause: err}
}

// breaks tells whether a connection cannot be used any more after the error of a call, whatever its
// driver says.
func breaks(e *k6mod.Error) bool {
	switch e.Kind {
	case k6mod.KindConnect, k6mod.KindConnection, k6mod.KindProtocol, k6mod.KindTimeout, k6mod.KindInternal:
		return true
	case k6mod.KindCancelled: // with a code, the server has cancelled the query alone
		return e.Code == 0
	default:
		return false
	}
}

package resp

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// asError says what an error of package wire is.
func asError(err error) k6mod.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6mod.Error{Kind: e.Kind, Message: e.Message, Cause: err}
	}

	return k6mod.Error{Kind: k6mod.KindInternal, Message: err.Error(), Cause: err}
}

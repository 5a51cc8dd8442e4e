package resp

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
	"github.com/xk6-sweep/xk6-sweep/extensions/resp/wire"
)

// unusable is the error of a server that k6/x/resp cannot work with. It ends the run and the test.
type unusable struct{ said *wire.Error }

// Error implements error.
func (u unusable) Error() string { return u.said.Error() }

// Unwrap returns the server's error, and workload.ErrClosed, which ends a run.
func (u unusable) Unwrap() []error { return []error{u.said, workload.ErrClosed} }

func asError(err error) k6x.Error {
	if e, is := errors.AsType[*wire.Error](err); is {
		return k6x.Error{Kind: e.Kind, Message: e.Message, Cause: err}
	}

	return k6x.Error{Kind: k6x.KindInternal, Message: err.Error(), Cause: err}
}

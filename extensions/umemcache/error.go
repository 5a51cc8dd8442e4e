package umemcache

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// misuse is an error of kind usage, in one line.
func misuse(format string, args ...any) *wire.Error {
	return &wire.Error{Kind: wire.KindUsage, Message: k6glue.OneLine(format, args...)}
}

// asError makes a wire.Error of any error, which is nil for nil. The error that a function of the script's has made itself is
// that of the operation.
func asError(err error) *wire.Error {
	var e, inner *wire.Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return &wire.Error{Kind: wire.KindConnection, Message: "the connection broke: " + err.Error(), Err: err}
	case e.Kind == wire.KindFill && errors.As(e.Err, &inner):
		return inner
	default:
		return e
	}
}

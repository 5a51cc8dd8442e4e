package mxgateway

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// asError makes a wire.Error of any error.
func asError(err error) *wire.Error {
	var e *wire.Error
	if errors.As(err, &e) {
		return e
	}
	if crash.Is(err) {
		return wire.Errorf(wire.KindInternal, "%s", err)
	}

	return misuse("%s", err)
}

func misuse(format string, args ...any) *wire.Error {
	return wire.Errorf(wire.KindUsage, "%s", k6glue.OneLine(format, args...))
}

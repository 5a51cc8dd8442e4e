package workload

import (
	"errors"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// BenchHost is the client's module of a benchmark. k6x.Module implements it.
type BenchHost interface {
	Host

	// Tag sets the tags of a call's samples.
	Tag(tags k6x.Tags)
	// As converts an error for scripts.
	As(err error) k6x.Error
	// Throw throws an error in JavaScript. It does not return.
	Throw(err error)
	// Abort ends the test with an error after the current call.
	Abort(err error)
}

// Fail throws an operation's error. It aborts the test if the server does not work with the module.
func Fail(host BenchHost, err error) {
	e := host.As(err)
	e.Message = err.Error()
	if errors.Is(err, ErrClosed) && e.Kind == k6x.KindUsage {
		host.Abort(&e)

		return
	}
	host.Throw(&e)
}

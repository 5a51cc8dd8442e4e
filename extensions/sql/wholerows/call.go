package wholerows

import (
	"context"
	"time"
)

// Call is the context of a database/sql call. database/sql starts a goroutine for each query whose
// context can end. To avoid that, a Call hides its Done channel once a connection of this package
// has seen it. The connection ends its calls with the inner Context.
type Call struct {
	context.Context

	// Shared tells that connections are used by clients of several VUs: they outlive the step of
	// the one that opens them.
	Shared bool
	// Connecting is how long the call has waited for connections that it opened.
	Connecting time.Duration
	// wrapped reports whether a connection of this package has seen the call.
	wrapped bool
}

// Done implements context.Context.
func (c *Call) Done() <-chan struct{} {
	if c.wrapped {
		return nil
	}

	return c.Context.Done()
}

func ending(ctx context.Context) context.Context {
	if call, is := ctx.(*Call); is {
		call.wrapped = true

		return call.Context
	}

	return ctx
}

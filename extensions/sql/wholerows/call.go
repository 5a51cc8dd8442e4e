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

	// Shared means that clients of several VUs use the connections: they stay open after the step
	// of the client that opened them.
	Shared bool
	// Connecting is how long the call waited for connections that it opened.
	Connecting time.Duration
	wrapped    bool
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

package wholerows

import "context"

// Call is the context of a call of database/sql. To database/sql it is one that never ends as soon
// as a connector of this package has seen it: with a query of another context, database/sql starts
// a goroutine that waits for the context's end. Connections of this package see the Context that is
// in it, and end their calls with that. So do those of drivers that are not wrapped.
type Call struct {
	context.Context

	// wrapped tells that the call is one of this package's connections.
	wrapped bool
}

// Done implements context.Context.
func (c *Call) Done() <-chan struct{} {
	if c.wrapped {
		return nil
	}

	return c.Context.Done()
}

// ending is the context with which a call ends.
func ending(ctx context.Context) context.Context {
	if call, is := ctx.(*Call); is {
		call.wrapped = true

		return call.Context
	}

	return ctx
}

package wholerows

import "context"

// Unending is a context that database/sql takes for one that never ends. With a query of another
// context it starts a goroutine that waits for the context's end. Connections of this package see
// the Context that is in it, and end their calls with that.
type Unending struct{ context.Context } //nolint:containedctx // it is a context

// Done implements context.Context.
func (*Unending) Done() <-chan struct{} { return nil }

// ending is the context with which a call ends.
func ending(ctx context.Context) context.Context {
	if hidden, is := ctx.(*Unending); is {
		return hidden.Context
	}

	return ctx
}

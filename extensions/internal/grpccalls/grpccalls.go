// Package grpccalls tells of gRPC calls that have failed, from within gRPC: k6 sends no sample of
// one that runs into its own timeout, as the context that would carry it is over by then.
//
// gRPC asks a balancer for the connection of each call, and tells it how the call has ended. Of the
// balancers with one name the last one counts that is registered before package grpc is
// initialised. Go initialises packages in the order of their paths, as soon as all that they import
// is there: this one comes before package grpc as long as it does not import it.
package grpccalls

import (
	"context"
	"errors"

	"google.golang.org/grpc/balancer"
	"google.golang.org/grpc/balancer/pickfirst"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func init() { //nolint:gochecknoinits // gRPC's way of registering balancers
	usual := balancer.Get(pickfirst.Name)
	if parser, parses := usual.(balancer.ConfigParser); parses {
		balancer.Register(builder{Builder: usual, ConfigParser: parser})
	}
}

// Call is a call on its way.
type Call struct {
	// Context is the call's own, which has its timeout.
	Context context.Context //nolint:containedctx // it tells whether the call's time is over
	// Method is the one that is called, such as "/grpc.health.v1.Health/Check".
	Method string
}

// TimedOut tells whether the call's time was over before it had ended.
func (c Call) TimedOut() bool { return errors.Is(c.Context.Err(), context.DeadlineExceeded) }

// Observer is told of the calls of a context. Its methods are called before the call returns, by
// the goroutine that calls or one of gRPC's.
type Observer interface {
	// Waits tells that a call has no connection yet: nobody tells of it if it never gets one.
	Waits(call Call)
	// TimedOut tells that the time of a call was over that had a connection: its client says so, or
	// its server, whoever is first.
	TimedOut(call Call)
}

type observerKey struct{}

// With returns a context of whose calls the observer is told.
func With(ctx context.Context, observer Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observer)
}

// builder is gRPC's usual balancer, of clients that have one server each as k6's have.
type builder struct {
	balancer.Builder
	balancer.ConfigParser
}

// Build returns the usual balancer, whose pickers are watched.
func (b builder) Build(cc balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	return b.Builder.Build(conn{cc}, options)
}

// conn is a client's connection as its balancer sees it.
type conn struct{ balancer.ClientConn }

// UpdateState puts a watched picker in the place of the balancer's.
func (c conn) UpdateState(state balancer.State) {
	if state.Picker != nil {
		state.Picker = picker{state.Picker}
	}
	c.ClientConn.UpdateState(state)
}

// picker sees each call as it begins and, by its result's Done, as it ends.
type picker struct{ balancer.Picker }

// Pick picks a connection for a call.
func (p picker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	result, err := p.Picker.Pick(info)
	observer, observed := info.Ctx.Value(observerKey{}).(Observer)
	if !observed {
		return result, err
	}
	call := Call{info.Ctx, info.FullMethodName}
	switch {
	case errors.Is(err, balancer.ErrNoSubConnAvailable): // gRPC asks again, unless the call's time is over before
		observer.Waits(call)
	case err == nil:
		done := result.Done
		result.Done = func(how balancer.DoneInfo) {
			if done != nil {
				done(how)
			}
			if call.TimedOut() && how.Err != nil || status.Code(how.Err) == codes.DeadlineExceeded {
				observer.TimedOut(call)
			}
		}
	}

	return result, err
}

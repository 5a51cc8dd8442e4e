// Package grpccalls reports gRPC calls that time out. k6 sends no sample for them, because the
// call's context, which carries the sample, has ended.
//
// It registers a balancer, which gRPC asks for a connection before each call and informs of the
// call's end. The last balancer registered under a name before package grpc initialises is used.
// This package must therefore not import grpc, so that Go initialises it first.
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

// Call is a call in progress.
type Call struct {
	// Context has the call's timeout.
	Context context.Context //nolint:containedctx // reports whether the call has timed out
	// Method is the full name, such as "/grpc.health.v1.Health/Check".
	Method string
}

// TimedOut reports whether the call's timeout has passed.
func (c Call) TimedOut() bool { return errors.Is(c.Context.Err(), context.DeadlineExceeded) }

// Observer receives the calls of a context. Its methods run before the call returns, on the
// caller's goroutine or one of gRPC.
type Observer interface {
	// Waits reports a call without a connection. If it never gets one, no other method is called.
	Waits(call Call)
	// TimedOut reports that a call with a connection timed out, at the client or the server.
	TimedOut(call Call)
}

type observerKey struct{}

// With returns a context whose calls the observer receives.
func With(ctx context.Context, observer Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, observer)
}

// builder builds gRPC's default balancer, for clients with one server as in k6.
type builder struct {
	balancer.Builder
	balancer.ConfigParser
}

func (b builder) Build(cc balancer.ClientConn, options balancer.BuildOptions) balancer.Balancer {
	return b.Builder.Build(conn{cc}, options)
}

type conn struct{ balancer.ClientConn }

func (c conn) UpdateState(state balancer.State) {
	if state.Picker != nil {
		state.Picker = picker{state.Picker}
	}
	c.ClientConn.UpdateState(state)
}

// picker observes each call at its start and, through PickResult.Done, at its end.
type picker struct{ balancer.Picker }

func (p picker) Pick(info balancer.PickInfo) (balancer.PickResult, error) {
	result, err := p.Picker.Pick(info)
	observer, observed := info.Ctx.Value(observerKey{}).(Observer)
	if !observed {
		return result, err
	}
	call := Call{info.Ctx, info.FullMethodName}
	switch {
	case errors.Is(err, balancer.ErrNoSubConnAvailable): // gRPC asks again unless the call times out first
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

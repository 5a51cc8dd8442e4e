package session

import (
	"context"
	"net"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

// Definition is what a module is made of.
type Definition struct {
	// ErrorName is the name of the module's exceptions, such as "EchoError".
	ErrorName string
	// Ops is the name of a Counter of operations, such as "echo_ops", with the tags op and outcome:
	// "ok", or the error's kind. It is required. Beside it there is a Rate of operations that
	// failed, such as "echo_failed", with the tag op.
	Ops string
	// Duration is the name of a Trend of the durations of single calls in milliseconds, with the
	// same tags. In a sweep it has no samples, as the sweep has them in its histograms. It is ""
	// for none.
	Duration string
	// Kind says what kind an error of an operation is: the tag outcome, and the exception's
	// property kind. Without it, all are of kind "server".
	Kind func(err error) string
	// Exports returns what a VU's script imports, by name: functions, and constructors such as
	// Client.
	Exports func(m *Module) map[string]any
}

// New returns a module for modules.Register of k6.
func New(d Definition) modules.Module {
	return k6mod.New(k6mod.Definition{
		ErrorName: d.ErrorName,
		AsError: func(err error) k6mod.Error {
			kind := k6mod.KindServer
			if d.Kind != nil {
				kind = d.Kind(err)
			}

			return k6mod.Error{Kind: kind, Message: err.Error(), Cause: err}
		},
		Metrics: k6mod.Metrics{Ops: d.Ops, Duration: d.Duration},
		Exports: func(own *k6mod.Module) map[string]any {
			return d.Exports(&Module{own: own, durations: d.Duration != ""})
		},
	})
}

// Module is a module in one VU. Its methods are for that VU's goroutine, but for Dial.
type Module struct {
	own       *k6mod.Module
	durations bool
	recorders recorders
}

// VU is the VU that the module is of.
func (m *Module) VU() modules.VU { return m.own.VU() }

// Throw throws an error as an exception of the module. It does not return.
func (m *Module) Throw(err error) { m.own.Throw(err) }

// Misuse makes the error of a call that is wrong, of kind "usage".
func Misuse(format string, args ...any) error { return k6mod.Misuse(format, args...) }

// Options reads an object of options into a struct, by the struct's json tags. An unknown name or a
// value of the wrong type is an error that names it.
func Options(value sobek.Value, into any) error { return k6glue.Options(value, into) }

// Dial opens a connection as k6 does for its own protocols: with the test's hosts, DNS and blocked
// addresses. It fails in the init context.
func (m *Module) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if m.own.VU().State() == nil {
		return nil, k6mod.ErrInit
	}

	return k6glue.Dial(m.own.VU())(ctx, network, address)
}

// Close calls closed once when the VU has no more use for what the owner, a pointer, has opened: at
// the end of the client's step, or when k6 exits.
func (m *Module) Close(owner any, closed func()) { m.own.Closing().Add(owner, closed) }

// Closed forgets the owner: it has nothing open any more.
func (m *Module) Closed(owner any) { m.own.Closing().Remove(owner) }

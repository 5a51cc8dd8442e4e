package session

import (
	"context"
	"net"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// Definition describes a module.
type Definition struct {
	// ErrorName is the name of the module's exceptions, such as "EchoError".
	ErrorName string
	// Ops is the name of a Counter of operations, such as "echo_ops", with the tags op and outcome:
	// "ok" or the error's kind. Required. There is also a Rate of failed operations, such as
	// "echo_failed", with the tag op.
	Ops string
	// Duration is the name of a Trend of single calls in milliseconds, with the same tags, or "". In a
	// sweep it has no samples, because the sweep has histograms.
	Duration string
	// Kind returns the kind of an operation's error, for the tag outcome and the exception's property
	// kind. The default is "server".
	Kind func(err error) string
	// Exports returns a VU's exports by name: functions, and constructors such as Client.
	Exports func(m *Module) map[string]any
}

// New returns a module for modules.Register of k6.
func New(d Definition) modules.Module {
	return k6x.New(k6x.Definition{
		ErrorName: d.ErrorName,
		AsError: func(err error) k6x.Error {
			kind := k6x.KindServer
			if d.Kind != nil {
				kind = d.Kind(err)
			}

			return k6x.Error{Kind: kind, Message: err.Error(), Cause: err}
		},
		Metrics: k6x.Metrics{Ops: d.Ops, Duration: d.Duration},
		Exports: func(own *k6x.Module) map[string]any {
			return d.Exports(&Module{own: own, durations: d.Duration != ""})
		},
	})
}

// Module is a module in one VU. Its methods except Dial are for that VU's goroutine.
type Module struct {
	own       *k6x.Module
	durations bool
	recorders recorders
}

// VU returns the module's VU.
func (m *Module) VU() modules.VU { return m.own.VU() }

// Throw throws an error as an exception of the module. It does not return.
func (m *Module) Throw(err error) { m.own.Throw(err) }

// Misuse returns an error of kind "usage", for a wrong call.
func Misuse(format string, args ...any) error { return k6x.Misuse(format, args...) }

// Options reads an options object into a struct by its json tags. The error names an unknown
// option, or one of the wrong type.
func Options(value sobek.Value, into any) error { return k6x.ReadOptions(value, into) }

// Dial opens a connection with k6's hosts, DNS and blocked addresses. It fails in the init context.
func (m *Module) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if m.own.VU().State() == nil {
		return nil, k6x.ErrInit
	}

	return k6x.Dial(m.own.VU())(ctx, network, address)
}

// Close registers closed, which is called once at the end of the client's step or when k6 exits.
// owner is a pointer that identifies it.
func (m *Module) Close(owner any, closed func()) { m.own.Closing().Add(owner, closed) }

// Closed removes what Close registered for the owner.
func (m *Module) Closed(owner any) { m.own.Closing().Remove(owner) }

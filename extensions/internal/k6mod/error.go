package k6mod

import (
	"errors"
	"fmt"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// Kinds of errors that modules have in common. Scripts see them in an exception's property kind and
// in the tag outcome. A module adds the kinds of its own server, where none of these fits.
const (
	KindConnect    = "connect"    // the server could not be reached within connectTimeout
	KindConnection = "connection" // the connection broke
	KindTimeout    = "timeout"    // no answer within timeout
	KindCancelled  = "cancelled"  // the test ended
	KindAuth       = "auth"       // the server does not let this user in, or do this
	KindBusy       = "busy"       // the server has too much to do, or the client too much under way
	KindNotFound   = "not_found"  // what the call is about is not there
	KindConflict   = "conflict"   // it is there already, or has another version
	KindTooLarge   = "too_large"  // a key, a value or a message is larger than is allowed
	KindFull       = "full"       // the server has no room
	KindServer     = "server"     // any other error of the server
	KindProtocol   = "protocol"   // the answer is none of the request
	KindUsage      = "usage"      // the call itself is wrong; nothing was sent
	KindInternal   = "internal"   // a fault of k6's extensions or of a library
)

// Error is what goes wrong with an operation, as scripts see it.
type Error struct {
	Kind string
	// Code is the server's; 0 for errors that are not the server's.
	Code    int
	Message string
	// Cause is the error behind it, if there is one.
	Cause error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the error behind it, if there is one.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an error of a kind.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Misuse makes the error of a call that is wrong, in one line: it may show what the script passed.
func Misuse(format string, args ...any) *Error {
	return &Error{Kind: KindUsage, Message: k6glue.OneLine(format, args...)}
}

// TestEnded makes the error of an operation that the end of the test has cut off.
func TestEnded() *Error { return Errorf(KindCancelled, "the test ended before the answer came") }

// ErrInit is why nothing connects in the init context: k6 does not allow it there.
var ErrInit error = Misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")

// As says what an error, which is not nil, is to scripts.
func (m *Module) As(err error) Error { return As(err, m.root.definition.AsError) }

// As is Module.As where there is no Module, as on goroutines of a library. asError is that of the
// Definition.
func As(err error, asError func(error) Error) Error {
	if own, is := errors.AsType[*Error](err); is {
		return *own
	}
	if fault, is := errors.AsType[*crash.Error](err); is {
		return Error{Kind: KindInternal, Message: fault.Error(), Cause: err}
	}

	return asError(err)
}

func (m *Module) kind(err error) string { return m.As(err).Kind }

// Property is one of a JavaScript object's.
type Property struct {
	Name  string
	Value any
}

// Throw throws an error as the module's own exception. It does not return.
func (m *Module) Throw(err error) { panic(m.NewError(err)) }

// Abort ends the test with an error, as k6's test.abort does, once the call has returned: no script
// can go on with what is missing.
func (m *Module) Abort(err error) {
	m.vu.Runtime().Interrupt(&errext.InterruptError{Reason: err.Error()})
}

// Misuse throws the error of a call that is wrong. It does not return.
func (m *Module) Misuse(format string, args ...any) { m.Throw(Misuse(format, args...)) }

// NewError makes the exception of an error, for Throw or for a promise to be rejected with. Further
// properties may tell more of it. A call that is wrong ends the test where no script catches it.
// In a sweep it does not: that counts it.
func (m *Module) NewError(err error, further ...Property) *sobek.Object {
	e := m.As(err)
	properties := map[string]any{"kind": e.Kind, "code": e.Code}
	for _, p := range further {
		properties[p.Name] = p.Value
	}

	newError := k6glue.NewError
	if e.Kind == KindUsage && m.vu.State() != nil && m.Session() == nil {
		newError = k6glue.NewMisuse
	}

	return newError(m.vu.Runtime(), m.root.definition.ErrorName, e.Message, properties)
}

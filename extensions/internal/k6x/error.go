package k6x

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Error kinds that modules share. Scripts see them in an exception's property kind and in the tag
// outcome. A module defines further kinds for its server only if none of these fits.
const (
	KindConnect    = "connect"    // no connection within connectTimeout
	KindConnection = "connection" // the connection broke
	KindTimeout    = "timeout"    // no answer within timeout
	KindCancelled  = "cancelled"  // the test ended
	KindAuth       = "auth"       // login failed or permission denied
	KindBusy       = "busy"       // the server is overloaded, or the client has too many requests pending
	KindNotFound   = "not_found"  // the object does not exist
	KindConflict   = "conflict"   // the object exists, or has another version
	KindTooLarge   = "too_large"  // a key, value or message exceeds a limit
	KindFull       = "full"       // the server is out of space
	KindServer     = "server"     // other errors reported by the server
	KindProtocol   = "protocol"   // the answer does not match the request
	KindUsage      = "usage"      // the call is wrong; nothing was sent
	KindInternal   = "internal"   // a bug in an extension or a library
)

// Error is an operation's error as scripts see it.
type Error struct {
	Kind string
	// Code is the server's error code, or 0.
	Code    int
	Message string
	// Cause is the underlying error; may be nil.
	Cause error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf returns an error of a kind.
func Errorf(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Misuse returns the one-line error of a wrong call. It may show the script's values.
func Misuse(format string, args ...any) *Error {
	return &Error{Kind: KindUsage, Message: OneLine(format, args...)}
}

// TestEnded returns the error of an operation interrupted by the end of the test.
func TestEnded() *Error { return Errorf(KindCancelled, "the test ended before the answer came") }

// ErrInit is returned in the init context, where k6 does not allow connections.
var ErrInit error = Misuse("a Client cannot be used in the init context; use it in setup() or in a scenario's function")

// As converts a non-nil error for scripts.
func (m *Module) As(err error) Error { return As(err, m.root.definition.AsError) }

// As is Module.As for code without a Module. asError is the Definition's.
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

// Property is a JavaScript property.
type Property struct {
	Name  string
	Value any
}

// Throw throws an error as the module's exception. It does not return.
func (m *Module) Throw(err error) { panic(m.NewError(err)) }

// Abort ends the test with an error, as k6's test.abort does, once the call has returned. Scripts
// cannot catch it.
func (m *Module) Abort(err error) {
	m.vu.Runtime().Interrupt(&errext.InterruptError{Reason: err.Error()})
}

// Misuse throws the error of a wrong call. It does not return.
func (m *Module) Misuse(format string, args ...any) { m.Throw(Misuse(format, args...)) }

// NewError returns the exception for an error, with additional properties, to throw or to reject a
// promise with. If not caught, the error of a wrong call ends the test, except in a sweep, which
// counts it.
func (m *Module) NewError(err error, further ...Property) *sobek.Object {
	e := m.As(err)
	properties := map[string]any{"kind": e.Kind, "code": e.Code}
	for _, p := range further {
		properties[p.Name] = p.Value
	}

	newError := NewError
	if e.Kind == KindUsage && m.vu.State() != nil && m.Session() == nil {
		newError = NewMisuse
	}

	return newError(m.vu.Runtime(), m.root.definition.ErrorName, e.Message, properties)
}

// Throw throws a JavaScript Error with a name, a message and properties. It does not return.
func Throw(rt *sobek.Runtime, name, message string, properties map[string]any) {
	panic(NewError(rt, name, message, properties))
}

// NewError returns the Error that Throw throws, to reject a promise with it.
func NewError(rt *sobek.Runtime, name, message string, properties map[string]any) *sobek.Object {
	constructor, ok := rt.Get("Error").(*sobek.Object)
	if !ok { // the script has deleted Error
		return rt.NewTypeError(message)
	}
	e, err := rt.New(constructor, rt.ToValue(message))
	if err != nil {
		panic(rt.NewGoError(err))
	}
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		must(rt, e.Set(key, properties[key]))
	}
	must(rt, e.Set("name", name))

	return e
}

// ThrowType throws a TypeError for wrong arguments.
func ThrowType(rt *sobek.Runtime, format string, args ...any) {
	panic(rt.NewTypeError(append([]any{format}, args...)...))
}

func must(rt *sobek.Runtime, err error) {
	if err != nil {
		panic(rt.NewGoError(err))
	}
}

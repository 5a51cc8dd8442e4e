package k6glue

import (
	"bytes"
	"maps"
	"slices"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
)

// NewMisuse is NewError for a call that is wrong, and will be so again: where no script catches it,
// k6 ends the test, with the exit code of an exception. A script that catches it goes on.
//
// k6 ends a test whose iteration ends with an errext.InterruptError. It finds that in what Go has
// thrown, a GoError, and in the Go value of what a promise was rejected with: this is both.
func NewMisuse(rt *sobek.Runtime, name, message string, properties map[string]any) *sobek.Object {
	constructor, ok := rt.Get("GoError").(*sobek.Object)
	if !ok { // a script may have deleted it
		return NewError(rt, name, message, properties)
	}
	m := &misuse{text: name + ": " + message, values: map[string]sobek.Value{}}
	for key, value := range properties {
		m.values[key] = rt.ToValue(value)
	}
	m.values["name"] = rt.ToValue(name)
	m.shown = slices.Sorted(maps.Keys(m.values))
	m.values["message"] = rt.ToValue(message)
	m.values["stack"] = rt.ToValue(m.stack(rt))
	m.values["value"] = rt.ToValue(m)
	object := rt.NewDynamicObject(m)
	must(rt, object.SetPrototype(constructor.Get("prototype").ToObject(rt)))

	return object
}

// misuse is the JavaScript error, and the error of Go that it carries.
type misuse struct {
	text string
	// values are the properties.
	values map[string]sobek.Value
	// shown are the names of those that are enumerable.
	shown []string
}

func (m *misuse) stack(rt *sobek.Runtime) string {
	var b bytes.Buffer
	b.WriteString(m.text + "\n")
	for _, frame := range rt.CaptureCallStack(0, nil) {
		b.WriteString("\tat ")
		frame.Write(&b)
		b.WriteString("\n")
	}

	return b.String()
}

// Error implements error.
func (m *misuse) Error() string { return m.text }

// Unwrap tells k6 that the test is to end.
func (m *misuse) Unwrap() error { return &errext.InterruptError{Reason: m.text} }

// ExitCode is k6's exit code for exceptions.
func (*misuse) ExitCode() exitcodes.ExitCode { return exitcodes.ScriptException }

// AbortReason is k6's reason for exceptions.
func (*misuse) AbortReason() errext.AbortReason { return errext.AbortedByScriptError }

// Get implements sobek.DynamicObject.
func (m *misuse) Get(name string) sobek.Value { return m.values[name] }

// Set implements sobek.DynamicObject.
func (m *misuse) Set(name string, value sobek.Value) bool {
	if !m.Has(name) {
		m.shown = append(m.shown, name)
	}
	m.values[name] = value

	return true
}

// Has implements sobek.DynamicObject.
func (m *misuse) Has(name string) bool {
	_, has := m.values[name]

	return has
}

// Delete implements sobek.DynamicObject.
func (m *misuse) Delete(name string) bool {
	delete(m.values, name)
	m.shown = slices.DeleteFunc(m.shown, func(shown string) bool { return shown == name })

	return true
}

// Keys implements sobek.DynamicObject.
func (m *misuse) Keys() []string { return m.shown }

package k6x

import (
	"bytes"
	"maps"
	"slices"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
)

// NewMisuse returns an Error like NewError for a wrong call. If no script catches it, k6 ends the
// test with the exit code of an exception.
//
// k6 ends a test on an errext.InterruptError. It looks for one in a thrown GoError and in the Go
// value of a rejected promise; a misuse is both.
func NewMisuse(rt *sobek.Runtime, name, message string, properties map[string]any) *sobek.Object {
	constructor, ok := rt.Get("GoError").(*sobek.Object)
	if !ok { // the script has deleted GoError
		return NewError(rt, name, message, properties)
	}
	m := &misuse{text: name + ": " + message, values: map[string]sobek.Value{}}
	for key, value := range properties {
		m.values[key] = rt.ToValue(value)
	}
	m.values["name"] = rt.ToValue(name)
	m.values["message"] = rt.ToValue(message)
	m.values["stack"] = rt.ToValue(m.stack(rt))
	m.values["value"] = rt.ToValue(m)
	object := rt.NewDynamicObject(m)
	must(rt, object.SetPrototype(constructor.Get("prototype").ToObject(rt)))

	return object
}

// misuse is both a JavaScript error and a Go error.
type misuse struct {
	text   string
	values map[string]sobek.Value
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

func (m *misuse) Error() string { return m.text }

func (m *misuse) Unwrap() error { return &errext.InterruptError{Reason: m.text} }

func (*misuse) ExitCode() exitcodes.ExitCode { return exitcodes.ScriptException }

func (*misuse) AbortReason() errext.AbortReason { return errext.AbortedByScriptError }

func (m *misuse) Get(name string) sobek.Value { return m.values[name] }

func (m *misuse) Set(name string, value sobek.Value) bool {
	m.values[name] = value

	return true
}

func (m *misuse) Has(name string) bool {
	_, has := m.values[name]

	return has
}

func (m *misuse) Delete(name string) bool {
	delete(m.values, name)

	return true
}

// Keys returns the properties that JSON and loops see, as an Error's.
func (m *misuse) Keys() []string {
	keys := slices.Sorted(maps.Keys(m.values))

	return slices.DeleteFunc(keys, func(key string) bool { return key == "message" || key == "stack" || key == "value" })
}

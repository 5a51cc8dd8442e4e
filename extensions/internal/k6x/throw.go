package k6x

import (
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

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

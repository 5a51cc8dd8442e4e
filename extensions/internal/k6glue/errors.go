package k6glue

import (
	"maps"
	"slices"

	"github.com/grafana/sobek"
)

// Throw throws a JavaScript Error with the given name, message and further properties. It does not
// return.
func Throw(rt *sobek.Runtime, name, message string, properties map[string]any) {
	panic(NewError(rt, name, message, properties))
}

// NewError returns what Throw throws, for a promise to be rejected with.
func NewError(rt *sobek.Runtime, name, message string, properties map[string]any) *sobek.Object {
	constructor, ok := rt.Get("Error").(*sobek.Object)
	if !ok { // a script may have deleted it
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

// ThrowType throws a TypeError: the script called something with the wrong arguments.
func ThrowType(rt *sobek.Runtime, format string, args ...any) {
	panic(rt.NewTypeError(append([]any{format}, args...)...))
}

func must(rt *sobek.Runtime, err error) {
	if err != nil {
		panic(rt.NewGoError(err))
	}
}

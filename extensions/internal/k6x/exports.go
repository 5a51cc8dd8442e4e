package k6x

import (
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Exported holds a module's exports in one VU.
type Exported struct {
	object *sobek.Object
	names  map[string]any
}

// Exports is called by k6 at every use of an import. It returns the names both in the default
// export and as named exports. k6 needs the names only once.
func (e *Exported) Exports(once *sync.Once) modules.Exports {
	exports := modules.Exports{Default: e.object}
	once.Do(func() { exports.Named = e.names })

	return exports
}

// NewExported exports functions and constructors. Their panics become exceptions. Calling a
// misspelled one throws its right name.
func NewExported(vu modules.VU, values map[string]any) *Exported {
	return export(vu, vu.Runtime().NewObject(), "", values, nil)
}

// NewCallable is like NewExported for a module that is itself a function, and that also exports
// itself under its own name.
//
// misplaced maps properties that are found elsewhere to hints. Reading one throws, because
// comparing undefined would go unnoticed.
func NewCallable(
	vu modules.VU, name string, call func(sobek.FunctionCall) sobek.Value, values map[string]any, misplaced map[string]string,
) *Exported {
	rt := vu.Runtime()

	return export(vu, named(rt, name, guarded(rt, call)).ToObject(rt), name, values, misplaced)
}

// export inserts a prototype with the values before the object's own. The names of the object
// itself are default, which require reads, and own.
func export(vu modules.VU, object *sobek.Object, own string, values map[string]any, misplaced map[string]string) *Exported {
	logCrashes(vu)
	rt := vu.Runtime()
	keys := func() []string { return slices.Sorted(maps.Keys(values)) }
	prepend(rt, object, rt.NewDynamicObject(&lateObject{keys: keys, create: func(name string) sobek.Value {
		value, is := values[name]
		switch write, elsewhere := misplaced[name]; {
		case name == own || name == "default":
			return object
		case elsewhere:
			panic(missing(vu, name, write))
		case !is:
			near := nearName(name, keys())
			if near == "" {
				return nil
			}
			value = func(sobek.ConstructorCall) *sobek.Object { panic(missing(vu, name, "use "+near)) }
		}

		return named(rt, name, guarded(rt, value))
	}}))
	names := map[string]any{own: nil}
	for name := range values {
		names[name] = nil
	}
	delete(names, "")

	return &Exported{object, names}
}

// named converts a value to JavaScript, and names it if it is a function, for stack traces.
func named(rt *sobek.Runtime, name string, value any) sobek.Value {
	made := rt.ToValue(value)
	if _, is := sobek.AssertFunction(made); is {
		must(rt, made.ToObject(rt).DefineDataProperty("name", rt.ToValue(name), sobek.FLAG_FALSE, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
	}

	return made
}

// missing returns an error that ends the test if it is not caught.
func missing(vu modules.VU, name, write string) *sobek.Object {
	newError := NewError // in the init context, every exception ends the test
	if vu.State() != nil {
		newError = NewMisuse
	}

	return newError(vu.Runtime(), "TypeError", "there is no "+name+" here: "+write, map[string]any{"kind": "usage", "code": 0})
}

package k6x

import (
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Exported holds a module's exports in one VU. It creates functions when the script first uses
// them: each takes 1 to 2 kB per VU.
type Exported struct{ table *exportTable }

// Exports is called by k6 at every use of an import. It returns the names both in the default
// export and as named exports. k6 needs the names only once.
func (e *Exported) Exports(once *sync.Once) modules.Exports {
	exports := modules.Exports{Default: e.table.object}
	once.Do(func() { exports.Named = e.table.names() })

	return exports
}

// NewExported exports functions and constructors. Their panics become exceptions. Calling a
// misspelled one throws its right name.
func NewExported(vu modules.VU, values map[string]any) *Exported {
	return export(vu, vu.Runtime().NewObject(), &exportTable{vu: vu, values: values})
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
	function := rt.ToValue(guarded(rt, call)).ToObject(rt)
	setName(rt, function, name)

	return export(vu, function, &exportTable{vu: vu, name: name, values: values, misplaced: misplaced})
}

// export inserts a prototype with the exports before the object's own.
func export(vu modules.VU, object *sobek.Object, o *exportTable) *Exported {
	logCrashes(vu)
	rt := vu.Runtime()
	o.object = object
	prototype := rt.NewDynamicObject(o)
	must(rt, prototype.SetPrototype(object.Prototype()))
	must(rt, object.SetPrototype(prototype))

	return &Exported{o}
}

// nothing returns a function and constructor that throws a hint. If not caught, it ends the test.
func nothing(vu modules.VU, name, write string) func(sobek.ConstructorCall) *sobek.Object {
	return func(sobek.ConstructorCall) *sobek.Object { panic(missing(vu, "there is no "+name+" here: "+write)) }
}

// exportTable holds the properties of a prototype, created on first use. `in` and loops do not see
// the hints.
type exportTable struct {
	vu     modules.VU
	values map[string]any
	// object has the prototype; name is its export of itself.
	object *sobek.Object
	name   string
	// misplaced maps properties that are elsewhere to hints.
	misplaced map[string]string
	made      map[string]sobek.Value
}

func (o *exportTable) Get(name string) sobek.Value {
	if value, is := o.made[name]; is {
		return value
	}
	if name == o.name || name == "default" { // require returns an object with this property
		return o.object
	}
	if write, is := o.misplaced[name]; is {
		panic(missing(o.vu, "there is no "+name+" here: "+write))
	}
	rt := o.vu.Runtime()
	export, is := o.values[name]
	if !is {
		near := nearName(name, o.Keys())
		if near == "" {
			return nil
		}
		export = nothing(o.vu, name, "use "+near)
	}
	value := rt.ToValue(guarded(rt, export))
	if _, is := sobek.AssertFunction(value); is {
		setName(rt, value.ToObject(rt), name)
	}
	if o.made == nil {
		o.made = map[string]sobek.Value{}
	}
	o.made[name] = value

	return value
}

func (o *exportTable) Has(name string) bool {
	_, is := o.values[name]

	return is
}

func (o *exportTable) Keys() []string { return slices.Sorted(maps.Keys(o.values)) }

func (o *exportTable) names() map[string]any {
	names := map[string]any{}
	if o.name != "" {
		names[o.name] = nil
	}
	for name := range o.values {
		names[name] = nil
	}

	return names
}

func (*exportTable) Set(string, sobek.Value) bool { return false }

func (*exportTable) Delete(string) bool { return false }

func setName(rt *sobek.Runtime, function *sobek.Object, name string) {
	must(rt, function.DefineDataProperty("name", rt.ToValue(name), sobek.FLAG_FALSE, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
}

// missing returns an error that ends the test if it is not caught.
func missing(vu modules.VU, message string) *sobek.Object {
	newError := NewError // in the init context, every exception ends the test
	if vu.State() != nil {
		newError = NewMisuse
	}

	return newError(vu.Runtime(), "TypeError", message, map[string]any{"kind": "usage", "code": 0})
}

package k6glue

import (
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Exported is what a module gives to scripts in one VU. Functions are made when they are asked for,
// of which few scripts use more than two: one takes 1 to 2 kB of each VU.
type Exported struct{ of *offers }

// Exports is for k6, which asks for it at every use of an import: the same names are in the default
// export and are named exports. k6 wants to know these names of the test's first VU alone, which
// told is for, and takes their values from the default export where there are none here.
func (e *Exported) Exports(told *sync.Once) modules.Exports {
	exports := modules.Exports{Default: e.of.object}
	told.Do(func() { exports.Named = e.of.names() })

	return exports
}

// NewExported returns what a module exports: functions and constructors. A panic of one is an
// exception.
//
// Instead has, for names that people know from other modules and import in vain, what to write:
// these can be called, and constructed, and throw that. Of all other names k6 says that undefined
// is no object. All VUs may have the same map.
func NewExported(vu modules.VU, values map[string]any, instead map[string]string) *Exported {
	return export(vu, vu.Runtime().NewObject(), &offers{vu: vu, values: values, instead: instead})
}

// NewCallable is NewExported of a module that can be called itself, and that is also an export of
// its own name: import x from, and import { x } from.
//
// Misplaced has, for properties by names that people know for something that is elsewhere, what to
// write. They throw where they are read: undefined would mean something to a comparison.
func NewCallable(
	vu modules.VU, name string, call func(sobek.FunctionCall) sobek.Value, values map[string]any,
	instead, misplaced map[string]string,
) *Exported {
	rt := vu.Runtime()
	function := rt.ToValue(guarded(rt, call)).ToObject(rt)
	setName(rt, function, name)

	return export(vu, function, &offers{vu: vu, name: name, values: values, instead: instead, misplaced: misplaced})
}

// export puts a prototype with what is exported before the one that the object has.
func export(vu modules.VU, object *sobek.Object, o *offers) *Exported {
	logCrashes(vu)
	rt := vu.Runtime()
	o.object = object
	prototype := rt.NewDynamicObject(o)
	must(rt, prototype.SetPrototype(object.Prototype()))
	must(rt, object.SetPrototype(prototype))

	return &Exported{o}
}

// nothing is a function and a constructor that throws what to write. Uncaught, it ends the test.
func nothing(vu modules.VU, name, write string) func(sobek.ConstructorCall) *sobek.Object {
	return func(sobek.ConstructorCall) *sobek.Object { panic(missing(vu, "there is no "+name+" here: "+write)) }
}

// offers are the properties of a prototype, which are made when they are asked for. Those that
// throw what to write instead are none to `in` and to loops.
type offers struct {
	vu     modules.VU
	values map[string]any
	// object is what has the prototype; name is by which it is an export of itself.
	object *sobek.Object
	name   string
	// instead has those that throw when they are called, misplaced those that throw when they are
	// read.
	instead, misplaced map[string]string
	made               map[string]sobek.Value
}

// Get implements sobek.DynamicObject.
func (o *offers) Get(name string) sobek.Value {
	if value, is := o.made[name]; is {
		return value
	}
	if name == o.name || name == "default" { // what is required has that
		return o.object
	}
	if write, is := o.misplaced[name]; is {
		panic(missing(o.vu, "there is no "+name+" here: "+write))
	}
	rt := o.vu.Runtime()
	export, is := o.values[name]
	if !is {
		write, known := o.instead[name]
		if !known {
			return nil
		}
		export = nothing(o.vu, name, write)
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

// Has implements sobek.DynamicObject.
func (o *offers) Has(name string) bool {
	_, is := o.values[name]

	return is
}

// Keys implements sobek.DynamicObject.
func (o *offers) Keys() []string { return slices.Sorted(maps.Keys(o.values)) }

// names are those of named imports, without values.
func (o *offers) names() map[string]any {
	names := map[string]any{}
	if o.name != "" {
		names[o.name] = nil
	}
	for name := range o.values {
		names[name] = nil
	}
	for name := range o.instead {
		names[name] = nil
	}

	return names
}

// Set implements sobek.DynamicObject.
func (*offers) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*offers) Delete(string) bool { return false }

// setName gives a function the name that stack traces show.
func setName(rt *sobek.Runtime, function *sobek.Object, name string) {
	must(rt, function.DefineDataProperty("name", rt.ToValue(name), sobek.FLAG_FALSE, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
}

// missing is an error that ends the test where nothing catches it.
func missing(vu modules.VU, message string) *sobek.Object {
	newError := NewError // in the init context every exception ends the test
	if vu.State() != nil {
		newError = NewMisuse
	}

	return newError(vu.Runtime(), "TypeError", message, map[string]any{"kind": "usage", "code": 0})
}

package k6glue

import (
	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"
)

// Exports builds what a module gives to scripts, the same names as default and as named exports.
// Call it once per VU and keep the result: k6 asks for it at every use of a named import. A panic
// of what is exported is an exception.
//
// Instead has, for names that people know from other modules and import in vain, what to write:
// these can be called, and constructed, and throw that. Of all other names k6 says that null is no
// object. All VUs may have the same map. Its functions are made when they are asked for, which few
// scripts do: one takes 2 kB of each VU.
func Exports(vu modules.VU, values map[string]any, instead map[string]string) modules.Exports {
	object, names := named(vu, values, instead)
	hint(vu, object, &hints{vu: vu, instead: instead})

	return modules.Exports{Default: object, Named: names}
}

func named(vu modules.VU, values map[string]any, instead map[string]string) (object *sobek.Object, names map[string]any) {
	logCrashes(vu)
	rt := vu.Runtime()
	names = make(map[string]any, len(values)+len(instead)+1) // and the name of the module, if it can be called
	object = rt.NewObject()
	for name, value := range values {
		v := rt.ToValue(guarded(rt, value))
		names[name] = v
		must(rt, object.Set(name, v))
	}
	for name, write := range instead {
		names[name] = nothing(vu, name, write)
	}

	return object, names
}

// nothing is a function and a constructor that throws what to write. Uncaught, it ends the test.
func nothing(vu modules.VU, name, write string) func(sobek.ConstructorCall) *sobek.Object {
	return func(sobek.ConstructorCall) *sobek.Object { panic(missing(vu, "there is no "+name+" here: "+write)) }
}

// hints are properties of a prototype that throw what to write instead. `in` and Object.keys have
// none of them.
type hints struct {
	vu modules.VU
	// instead has those that throw when they are called, misplaced those that throw when they are
	// read.
	instead, misplaced map[string]string
	made               map[string]sobek.Value
}

// hint puts a prototype with hints before the one that the object has.
func hint(vu modules.VU, object *sobek.Object, h *hints) {
	if len(h.instead)+len(h.misplaced) == 0 {
		return
	}
	rt := vu.Runtime()
	prototype := rt.NewDynamicObject(h)
	must(rt, prototype.SetPrototype(object.Prototype()))
	must(rt, object.SetPrototype(prototype))
}

// Get implements sobek.DynamicObject.
func (h *hints) Get(name string) sobek.Value {
	if write, is := h.misplaced[name]; is {
		panic(missing(h.vu, "there is no "+name+" here: "+write))
	}
	write, known := h.instead[name]
	if !known {
		return nil
	}
	if h.made[name] == nil {
		if h.made == nil {
			h.made = map[string]sobek.Value{}
		}
		rt := h.vu.Runtime()
		function := rt.ToValue(nothing(h.vu, name, write)).ToObject(rt)
		setName(rt, function, name)
		h.made[name] = function
	}

	return h.made[name]
}

// Has implements sobek.DynamicObject.
func (*hints) Has(string) bool { return false }

// Keys implements sobek.DynamicObject.
func (*hints) Keys() []string { return nil }

// Set implements sobek.DynamicObject.
func (*hints) Set(string, sobek.Value) bool { return false }

// Delete implements sobek.DynamicObject.
func (*hints) Delete(string) bool { return false }

// CallableExports is Exports of a module that can be called itself, and that is also an export of
// its own name: import x from, and import { x } from.
//
// Misplaced has, for properties by names that people know for something that is elsewhere, what to
// write. They throw where they are read: undefined would mean something to a comparison.
func CallableExports(
	vu modules.VU, name string, call func(sobek.FunctionCall) sobek.Value, values map[string]any,
	instead, misplaced map[string]string,
) modules.Exports {
	_, names := named(vu, values, instead)
	rt := vu.Runtime()
	function := rt.ToValue(guarded(rt, call)).ToObject(rt)
	setName(rt, function, name)
	for of := range values {
		must(rt, function.DefineDataProperty(of, rt.ToValue(names[of]), sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE))
	}
	hint(vu, function, &hints{vu: vu, instead: instead, misplaced: misplaced})
	names[name] = function

	return modules.Exports{Default: function, Named: names}
}

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

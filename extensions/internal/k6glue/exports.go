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
// object.
func Exports(vu modules.VU, values map[string]any, instead map[string]string) modules.Exports {
	logCrashes(vu)
	rt := vu.Runtime()
	named := make(map[string]any, len(values))
	object := rt.NewObject()
	for name, value := range values {
		v := rt.ToValue(guarded(rt, value))
		named[name] = v
		must(rt, object.Set(name, v))
	}
	for name, write := range instead {
		v := nothing(vu, name, "there is no "+name+" here: "+write)
		named[name] = v
		must(rt, object.DefineDataProperty(name, v, sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
	}

	return modules.Exports{Default: object, Named: named}
}

// nothing is a function and a constructor that throws the message. Uncaught, it ends the test.
func nothing(vu modules.VU, name, message string) sobek.Value {
	rt := vu.Runtime()
	function := rt.ToValue(func(sobek.ConstructorCall) *sobek.Object {
		panic(missing(vu, message))
	}).ToObject(rt)
	setName(rt, function, name)

	return function
}

// CallableExports is Exports of a module that can be called itself, and that is also an export of
// its own name: import x from, and import { x } from.
func CallableExports(
	vu modules.VU, name string, call func(sobek.FunctionCall) sobek.Value, values map[string]any, instead map[string]string,
) modules.Exports {
	exports := Exports(vu, values, instead)
	rt := vu.Runtime()
	function := rt.ToValue(guarded(rt, call)).ToObject(rt)
	setName(rt, function, name)
	for exported, value := range exports.Named {
		_, shown := values[exported]
		must(rt, function.DefineDataProperty(exported, rt.ToValue(value), sobek.FLAG_TRUE, sobek.FLAG_TRUE, flag(shown)))
	}
	exports.Default, exports.Named[name] = function, function

	return exports
}

func flag(is bool) sobek.Flag {
	if is {
		return sobek.FLAG_TRUE
	}

	return sobek.FLAG_FALSE
}

// setName gives a function the name that stack traces show.
func setName(rt *sobek.Runtime, function *sobek.Object, name string) {
	must(rt, function.DefineDataProperty("name", rt.ToValue(name), sobek.FLAG_FALSE, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
}

// Misplaced makes the object throw, where it is asked for a property by a name that people know for
// something that is elsewhere: what to write. Undefined would mean something to a comparison.
func Misplaced(vu modules.VU, object *sobek.Object, name, write string) {
	rt := vu.Runtime()
	must(rt, object.DefineAccessorProperty(name, rt.ToValue(func(sobek.FunctionCall) sobek.Value {
		panic(missing(vu, "there is no "+name+" here: "+write))
	}), nil, sobek.FLAG_TRUE, sobek.FLAG_FALSE))
}

// missing is an error that ends the test where nothing catches it.
func missing(vu modules.VU, message string) *sobek.Object {
	newError := NewError // in the init context every exception ends the test
	if vu.State() != nil {
		newError = NewMisuse
	}

	return newError(vu.Runtime(), "TypeError", message, map[string]any{"kind": "usage", "code": 0})
}

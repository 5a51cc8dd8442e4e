package k6glue

import (
	"go.k6.io/k6/v2/js/modules"
)

// Exports builds what a module gives to scripts, the same names as default and as named exports.
// Call it once per VU and keep the result: k6 asks for it at every use of a named import. A panic
// of what is exported is an exception.
func Exports(vu modules.VU, values map[string]any) modules.Exports {
	logCrashes(vu)
	rt := vu.Runtime()
	named := make(map[string]any, len(values))
	object := rt.NewObject()
	for name, value := range values {
		v := rt.ToValue(guarded(rt, value))
		named[name] = v
		must(rt, object.Set(name, v))
	}

	return modules.Exports{Default: object, Named: named}
}

package k6glue

import (
	"reflect"

	"github.com/grafana/sobek"
)

// Frozen remembers what was read from a JavaScript object that can never change, so that a call
// which passes the same one again and again costs no reading: parameters and options are a
// twentieth of a query's processor time otherwise. The zero value is ready.
type Frozen[T any] struct {
	object *sobek.Object
	value  T
}

// Of returns what read makes of the value, from memory when it is the same frozen object as the
// last one.
func (f *Frozen[T]) Of(rt *sobek.Runtime, value sobek.Value, read func(sobek.Value) (T, error)) (T, error) {
	object, ok := value.(*sobek.Object)
	if ok && object == f.object {
		return f.value, nil
	}

	result, err := read(value)
	if err == nil && ok {
		if look := (freezing{runtime: rt}); look.isFrozen(object, maxFrozen) {
			f.object, f.value = object, result
		}
	}

	return result, err
}

// Constant is what Go values have that never change, when a frozen object may hold them.
type Constant interface{ Constant() }

var constantType = reflect.TypeFor[Constant]() //nolint:gochecknoglobals // a constant

const (
	// maxFrozen is how far objects in objects are looked into: one may hold itself.
	maxFrozen = 8
	// maxFrozenObjects is how many objects are looked into: one may be in others many times.
	maxFrozenObjects = 10_000
)

// freezing looks whether an object can change.
type freezing struct {
	runtime *sobek.Runtime
	looked  int // into so many objects
}

// isFrozen tells whether neither the object nor anything in it can change: it and all objects in it
// are frozen, and they are plain objects, arrays and constants. A frozen Date or ArrayBuffer can
// still change. (What a getter in a frozen object returns is taken for constant.)
func (f *freezing) isFrozen(object *sobek.Object, depth int) bool {
	if f.looked++; depth == 0 || f.looked > maxFrozenObjects {
		return false
	}
	switch t := object.ExportType(); {
	case t.Implements(constantType):
		return true
	case t == objectType, t == arrayType && object.ClassName() == "Array": // a Set can change
	default:
		return false
	}
	constructor, ok := f.runtime.Get("Object").(*sobek.Object)
	if !ok {
		return false
	}
	check, ok := sobek.AssertFunction(constructor.Get("isFrozen"))
	if !ok {
		return false
	}
	if answer, err := check(sobek.Undefined(), object); err != nil || !answer.ToBoolean() {
		return false
	}
	for _, key := range object.Keys() {
		if inner, ok := object.Get(key).(*sobek.Object); ok && !f.isFrozen(inner, depth-1) {
			return false
		}
	}

	return true
}

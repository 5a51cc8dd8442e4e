package k6x

import (
	"reflect"

	"github.com/grafana/sobek"
)

// Frozen caches what was read from a frozen JavaScript object. Reading parameters and options can
// take a twentieth of a query's processor time. The zero value is ready to use.
type Frozen[T any] struct {
	object *sobek.Object
	value  T
}

// Of returns read(value), or the cached result if value is the same frozen object as last time.
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

// Constant marks immutable Go values that a frozen object may hold.
type Constant interface{ Constant() }

var constantType = reflect.TypeFor[Constant]() //nolint:gochecknoglobals // a constant

const (
	maxFrozen = 8
	// maxFrozenObjects limits the number of objects visited.
	maxFrozenObjects = 10_000
)

// freezing checks whether an object is frozen.
type freezing struct {
	runtime *sobek.Runtime
	looked  int
}

// isFrozen reports whether the object and all objects in it are frozen plain objects, arrays and
// constants. Frozen Dates and ArrayBuffers can still change. Results of getters count as constant.
func (f *freezing) isFrozen(object *sobek.Object, depth int) bool {
	if f.looked++; depth == 0 || f.looked > maxFrozenObjects {
		return false
	}
	switch t := object.ExportType(); {
	case t.Implements(constantType):
		return true
	case t == objectType, t == arrayType && object.ClassName() == "Array": // excludes Set, which can change
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

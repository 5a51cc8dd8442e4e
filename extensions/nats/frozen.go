package nats

import "github.com/grafana/sobek"

// frozen remembers what was read from a JavaScript object that can never change, so that a call which passes the same
// one again and again costs no reading.
type frozen[T any] struct {
	object *sobek.Object
	value  T
}

// of returns what read makes of the value, from memory when it is the same frozen object as the last one.
func (f *frozen[T]) of(rt *sobek.Runtime, value sobek.Value, read func(sobek.Value) (T, error)) (T, error) {
	object, ok := value.(*sobek.Object)
	if ok && object == f.object {
		return f.value, nil
	}
	result, err := read(value)
	if err == nil && ok && isFrozen(rt, object) {
		f.object, f.value = object, result
	}

	return result, err
}

// isFrozen tells whether neither the object nor anything in it can change: it and all objects in it are frozen, and
// they are plain objects and arrays. A frozen ArrayBuffer can still change.
func isFrozen(rt *sobek.Runtime, object *sobek.Object) bool {
	if class := object.ClassName(); class != "Object" && class != "Array" {
		return false
	}
	check, ok := sobek.AssertFunction(rt.Get("Object").ToObject(rt).Get("isFrozen"))
	if !ok {
		return false
	}
	if answer, err := check(sobek.Undefined(), object); err != nil || !answer.ToBoolean() {
		return false
	}
	for _, key := range object.Keys() {
		if inner, ok := object.Get(key).(*sobek.Object); ok && !isFrozen(rt, inner) {
			return false
		}
	}

	return true
}

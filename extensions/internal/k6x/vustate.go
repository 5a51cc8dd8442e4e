package k6x

import (
	"reflect"

	"go.k6.io/k6/v2/lib"
)

// VUState returns the state of a VU, even if its script uses none of our modules. It returns nil if
// this version of k6 stores it elsewhere.
func VUState(vu lib.InitializedVU) *lib.State {
	if owner, is := vu.(interface{ State() *lib.State }); is {
		return owner.State()
	}
	value := reflect.ValueOf(vu)
	if value.Kind() != reflect.Pointer || value.Elem().Kind() != reflect.Struct {
		return nil
	}
	field := value.Elem().FieldByName("state")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*lib.State]() {
		return nil
	}

	return (*lib.State)(field.UnsafePointer())
}

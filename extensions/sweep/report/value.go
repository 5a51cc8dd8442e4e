package report

import (
	"reflect"
	"strings"
)

// Value returns the value at a path of the step's JSON, such as "latencyMs.p99"; nil if the step
// lacks it.
func (s *Step) Value(path string) any {
	v := reflect.ValueOf(*s)
	for key := range strings.SplitSeq(path, ".") {
		switch v.Kind() { //nolint:exhaustive // no others have keys
		case reflect.Map:
			v = v.MapIndex(reflect.ValueOf(key))
		case reflect.Struct:
			v = fieldOf(v, key)
		}
		if v = pointed(v); !v.IsValid() {
			return nil
		}
	}

	return v.Interface()
}

// pointed returns what a pointer points to; others are returned as they are.
func pointed(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer {
		return v.Elem()
	}

	return v
}

// fieldOf returns the field with a key of the JSON.
func fieldOf(v reflect.Value, key string) reflect.Value {
	for i := range v.NumField() {
		if keyOf(v.Type().Field(i)) == key {
			return v.Field(i)
		}
	}

	return reflect.Value{}
}

func keyOf(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("json"), ",")

	return key
}

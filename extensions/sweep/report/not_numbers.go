package report

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// DropNotNumbers takes out of a value, which it is given a pointer to, what is no number: JSON has
// no NaN and no infinity, and a report must not be lost for a figure of it. What may be missing is
// missing then, with all that stands in it; a figure that may not is 0. It returns the keys of what
// it has taken out.
func DropNotNumbers(pointer any) (keys []string) {
	d := &dropping{}
	d.clean(reflect.ValueOf(pointer).Elem(), "", false)

	return d.keys
}

type dropping struct{ keys []string }

func (d *dropping) drop(v reflect.Value, key string) {
	v.SetZero()
	d.keys = append(d.keys, strings.TrimPrefix(key, "."))
}

// clean goes through a value. within tells that it is part of one that may be missing: it is left
// as it is then, and clean returns false.
func (d *dropping) clean(v reflect.Value, key string, within bool) bool {
	switch v.Kind() { //nolint:exhaustive // the others have no numbers in them
	case reflect.Float64, reflect.Float32:
		if f := v.Float(); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return true
		}
		if !within {
			d.drop(v, key)
		}

		return !within
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() && !d.clean(v.Elem(), key, true) {
			if !v.CanSet() {
				return false
			}
			d.drop(v, key)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if field.IsExported() && !d.clean(v.Field(i), keyOf(key, &field), within) {
				return false
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if d.clean(v.Index(i), fmt.Sprintf("%s[%d]", key, i), true) {
				continue
			}
			if !v.CanSet() {
				return false
			}
			d.drop(v, key)

			return true
		}
	case reflect.Map:
		for _, name := range v.MapKeys() {
			of := fmt.Sprintf("%s.%v", key, name)
			if !d.clean(v.MapIndex(name), of, true) {
				v.SetMapIndex(name, reflect.Value{})
				d.keys = append(d.keys, strings.TrimPrefix(of, "."))
			}
		}
	}

	return true
}

// keyOf is the key of a field of what has a key.
func keyOf(key string, field *reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" {
		return key
	}

	return key + "." + name
}

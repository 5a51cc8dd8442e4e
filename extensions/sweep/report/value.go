package report

import (
	"encoding/json"
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

// DropNotNumbers removes NaN and infinite figures from the step, because JSON cannot hold them, and
// returns their keys. Optional figures are dropped with everything in them. Required ones become 0,
// and the step is marked incomplete.
func (s *Step) DropNotNumbers() (keys []string) {
	optional, needed := dropNotNumbers(reflect.ValueOf(s).Elem(), "")
	if len(needed) > 0 {
		s.Complete, s.Intervals = false, nil
	}

	return append(optional, needed...)
}

// DropNotNumbers does the same for a duet, which then has a reason for missing figures.
func (d *Duet) DropNotNumbers() (keys []string) {
	optional, needed := dropNotNumbers(reflect.ValueOf(d).Elem(), "")
	if len(optional) > 0 {
		d.Figures, d.Blocks, d.Why = []DuetFigure{}, 0, "a figure is no number"
	}

	return append(optional, needed...)
}

// dropNotNumbers sets fields with NaN or infinite numbers to zero. Pointers, lists and maps are
// optional, other fields are needed.
func dropNotNumbers(v reflect.Value, prefix string) (optional, needed []string) {
	for i := range v.NumField() {
		field := v.Field(i)
		if !v.Type().Field(i).IsExported() || isOfNumbers(field) {
			continue
		}
		key := prefix + keyOf(v.Type().Field(i))
		switch field.Kind() { //nolint:exhaustive // the others have no numbers in them
		case reflect.Struct:
			more, moreNeeded := dropNotNumbers(field, key+".")
			optional, needed = append(optional, more...), append(needed, moreNeeded...)

			continue
		case reflect.Float64:
			needed = append(needed, key)
		default:
			optional = append(optional, key)
		}
		field.SetZero()
	}

	return optional, needed
}

// isOfNumbers reports whether JSON can hold the value.
func isOfNumbers(v reflect.Value) bool {
	_, err := json.Marshal(v.Interface())

	return err == nil
}

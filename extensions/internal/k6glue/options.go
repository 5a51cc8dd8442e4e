package k6glue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/grafana/sobek"
)

// Options reads a JavaScript object of options into a struct, by the struct's json tags. An unknown
// name or a value of the wrong type is an error that names it. Undefined and null leave the struct
// as it is.
func Options(value sobek.Value, into any) error {
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil
	}
	if _, ok := value.(*sobek.Object); !ok {
		return fmt.Errorf("options must be an object, not %s", Show(value))
	}

	exported, err := Export(value)
	if err != nil {
		return fmt.Errorf("options cannot be read: %w", err)
	}
	raw, err := json.Marshal(exported)
	if err != nil {
		return fmt.Errorf("options cannot be read: %w", err)
	}

	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err = decoder.Decode(into)

	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType) && wrongType.Field == "": // an array, a Date
		return fmt.Errorf("options must be an object, not a %s", wrongType.Value)
	case errors.As(err, &wrongType):
		return fmt.Errorf("option %s must be %s, not a %s", wrongType.Field, noun(wrongType.Type), wrongType.Value)
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("unknown option %s; known are %s", name, strings.Join(known(reflect.TypeOf(into).Elem()), ", "))
	}

	return err
}

// noun is a Go type in words that a script's author knows.
func noun(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // the others cannot be options
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return "an integer"
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "an integer from 0"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

func known(t reflect.Type) []string {
	var names []string
	for i := range t.NumField() {
		if field := t.Field(i); field.Anonymous {
			names = append(names, known(field.Type)...)
		} else if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}

	return names
}

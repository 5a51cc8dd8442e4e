// Package input checks what users write: options in JSON, times and names. Its errors name what is
// wrong and say what would be right.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// embedded matches the names of embedded structs in the path of a field.
var embedded = regexp.MustCompile(`\b[A-Z]\w*\.`)

// Decode reads an object into a struct, by its json tags. Names that the struct lacks are errors.
// prefix, such as "tls.", precedes names of options in errors.
func Decode(prefix string, raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)

	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType) && wrongType.Field == "": // for example an array or a Date
		what := "options"
		if prefix != "" {
			what = "option " + strings.TrimSuffix(prefix, ".")
		}

		return fmt.Errorf("%s must be an object, not %s", what, withArticle(wrongType.Value))
	case errors.As(err, &wrongType):
		name := embedded.ReplaceAllString(wrongType.Field, "")

		return fmt.Errorf("option %s%s must be %s, not %s", prefix, name, noun(wrongType.Type), withArticle(wrongType.Value))
	}
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return Unknown(prefix, strings.Trim(name, `"`), Names(reflect.TypeOf(into).Elem()))
	}

	return err
}

// Unknown returns an error for an unknown option that lists the known ones, and suggests the
// nearest. prefix is as in Decode.
func Unknown(prefix, name string, known []string) error {
	verb, suggestion := "are", ""
	if len(known) == 1 {
		verb = "is"
	}
	if near := NearestName(name, known); near != "" {
		suggestion = "; did you mean " + near + "?"
	}

	return fmt.Errorf("unknown option %q; known %s %s%s", prefix+name, verb, strings.Join(known, ", "), suggestion)
}

// Field is an option in a struct.
type Field struct {
	Name string
	Type reflect.Type
}

// fields caches Fields, which allocates 9 kB for each client otherwise.
var fields sync.Map //nolint:gochecknoglobals // a type's fields are always the same

// Fields returns the options in a struct type, those of embedded structs included.
func Fields(t reflect.Type) []Field {
	if known, is := fields.Load(t); is {
		return known.([]Field) //nolint:forcetypeassert // there are no others in it
	}
	var found []Field
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !field.Anonymous && name != "" && name != "-" {
			found = append(found, Field{name, field.Type})
		}
	}
	fields.Store(t, slices.Clip(found))

	return found
}

// Names returns the names of the options in a struct type.
func Names(t reflect.Type) (names []string) {
	for _, field := range Fields(t) {
		names = append(names, field.Name)
	}

	return names
}

func withArticle(kind string) string {
	if kind[0] == 'a' || kind[0] == 'o' {
		return "an " + kind
	}

	return "a " + kind
}

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

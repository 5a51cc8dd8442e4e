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
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
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

// k6 reads times without a unit as milliseconds, but people often mean seconds. The functions in
// this file reject them, and suggest what to write.

// shortest is the smallest accepted number of milliseconds; smaller ones probably mean seconds.
const shortest = 100

// NumberUnit rejects milliseconds that may be seconds. what names the option or argument.
func NumberUnit(what string, milliseconds float64) error {
	if !(milliseconds > 0 && milliseconds < shortest) { // false for NaN
		return nil
	}

	return unclear(what, milliseconds)
}

// TextUnit rejects a number in quotes, which k6 reads as milliseconds. It accepts other strings
// and 0.
func TextUnit(what, text string) error {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil || number == 0 {
		return nil //nolint:nilerr // it has a unit, or is no time
	}

	return unclear(what, number)
}

// JSONUnit checks a time in JSON as NumberUnit and TextUnit do.
func JSONUnit(what string, raw []byte) error {
	var number float64
	if json.Unmarshal(raw, &number) == nil {
		return NumberUnit(what, number)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return TextUnit(what, text)
	}

	return nil
}

// TTLUnit rejects a number as a time to live: stores count in seconds, k6 in milliseconds.
func TTLUnit(what string, number float64) error {
	shown := show(number)
	if number >= 1000 {
		return fmt.Errorf("%s %s must say its unit: '%ss', or '%ss' if it is milliseconds", what, shown, shown, show(number/1000))
	}

	return fmt.Errorf("%s %s must say its unit, such as '%ss'", what, shown, shown)
}

// show formats a number as a script writes it.
func show(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func unclear(what string, number float64) error {
	shown := show(number)

	return fmt.Errorf("%s %s could be seconds or milliseconds: write '%ss' or '%sms'", what, shown, shown, shown)
}

// Nearest returns the known name that a user probably meant by name, or "". They may differ in case
// and by one typo (an added, missing, changed or swapped letter), or by two in names longer than
// five letters. One-letter names match only themselves.
func Nearest(name string, known []string) (nearest string) {
	slips := 1
	switch letters := utf8.RuneCountInString(name); {
	case letters < 2:
		slips = 0
	case letters > 5:
		slips = 2
	}
	least := slips + 1
	for _, k := range known {
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			nearest, least = k, d
		}
	}

	return nearest
}

// DidYouMean returns a suggestion at the end of an error, or "". It suggests nothing for a number.
func DidYouMean(name string, known []string) string {
	meant := Nearest(name, known)
	if _, err := strconv.ParseFloat(name, 64); err == nil || meant == "" {
		return ""
	}

	return "; did you mean " + meant + "?"
}

// NearestName is Nearest for methods and options, where short names are often alike.
func NearestName(name string, known []string) string {
	if len(name) < 4 {
		return ""
	}

	return Nearest(name, known)
}

// distance returns the optimal string alignment distance.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	var before, last, row []int
	for j := range len(to) + 1 {
		last = append(last, j)
	}
	for i := range from {
		row = append(make([]int, 0, len(to)+1), i+1)
		for j := range to {
			change := last[j]
			if from[i] != to[j] {
				change++
			}
			d := min(change, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				d = min(d, before[j-1]+1)
			}
			row = append(row, d)
		}
		before, last = last, row
	}

	return last[len(to)]
}

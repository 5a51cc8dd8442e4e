package k6x

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"
)

// A script's value may contain itself, nest without end, or claim any length: reading `new
// Array(4294967295)` naively takes 64 GB. The functions in this file bound what modules read.
const (
	// MaxElements limits the elements read from one array.
	MaxElements = 1_000_000
	// maxAll limits the values read in one call, nested arrays included.
	maxAll    = 10 * MaxElements
	maxNested = 100
)

// MaxSafeInteger is JavaScript's Number.MAX_SAFE_INTEGER.
const MaxSafeInteger = 1<<53 - 1

// ErrNoArray is returned by Reading.Length for a value that is not an array.
var ErrNoArray = errors.New("it must be an array")

// Reading counts the values read in one call. The zero value is ready to use.
type Reading struct {
	read int
}

// Length returns an array's length and counts its elements as read. Element returns them.
func (r *Reading) Length(value sobek.Value) (int, error) {
	array, ok := value.(*sobek.Object)
	if !ok || array.ClassName() != "Array" {
		return 0, ErrNoArray
	}
	n := array.Get("length").ToInteger()
	if n < 0 || n > MaxElements {
		return 0, fmt.Errorf("an array has %d elements: at most %d are allowed", n, MaxElements)
	}
	if r.read += int(n); r.read > maxAll {
		return 0, errTooMany
	}

	return int(n), nil
}

var errTooMany = fmt.Errorf("there are more than %d values in it", maxAll)

// Element returns an element of an array: undefined for a hole.
func Element(array sobek.Value, i int) sobek.Value {
	if v := array.(*sobek.Object).Get(strconv.Itoa(i)); v != nil { //nolint:forcetypeassert // Length was asked before
		return v
	}

	return sobek.Undefined()
}

// elementsOf returns an array's elements. what names the array in errors, such as "the keys".
func elementsOf(what string, value sobek.Value) ([]sobek.Value, error) {
	var r Reading
	n, err := r.Length(value)
	if err == ErrNoArray { //nolint:errorlint // nothing wraps it
		return nil, fmt.Errorf("%s must be an array, not %s", what, Show(value))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	values := make([]sobek.Value, n)
	for i := range values {
		values[i] = Element(value, i)
	}

	return values, nil
}

//nolint:gochecknoglobals // constants
var (
	objectType = reflect.TypeFor[map[string]any]()
	arrayType  = reflect.TypeFor[[]any]()
)

// Export converts a JavaScript value as its own Export does: objects become map[string]any, arrays
// []any. The error says what cannot be read.
func Export(value sobek.Value) (any, error) {
	var r Reading

	return r.export(value, nil)
}

func (r *Reading) export(value sobek.Value, within []*sobek.Object) (any, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		if value == nil {
			return nil, nil //nolint:nilnil // an undefined value is one
		}

		return value.Export(), nil
	}
	if len(within) == maxNested {
		return nil, fmt.Errorf("it is nested more than %d deep", maxNested)
	}
	for _, outer := range within {
		if outer == object {
			return nil, errors.New("it contains itself")
		}
	}
	within = append(within, object)
	switch object.ExportType() {
	case objectType:
		return r.exportObject(object, within)
	case arrayType:
		return r.exportArray(object, within)
	default:
		exported := Scalar(object)
		if exported == nil && object.ClassName() == "Date" {
			return nil, errors.New("it is an invalid Date")
		}

		return exported, nil
	}
}

func (r *Reading) exportObject(object *sobek.Object, within []*sobek.Object) (any, error) {
	keys := object.Keys()
	if r.read += len(keys); r.read > maxAll {
		return nil, errTooMany
	}
	values := make(map[string]any, len(keys))
	for _, key := range keys {
		value, err := r.export(object.Get(key), within)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		values[key] = value
	}

	return values, nil
}

func (r *Reading) exportArray(array *sobek.Object, within []*sobek.Object) (any, error) {
	n, err := r.Length(array)
	if errors.Is(err, ErrNoArray) {
		return nil, errors.New("a Set cannot be read: make an array of it")
	}
	if err != nil {
		return nil, err
	}
	values := make([]any, n)
	for i := range values {
		if values[i], err = r.export(Element(array, i), within); err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}
	}

	return values, nil
}

// Scalar returns the Go value of a string, number, boolean, BigInt, Date, binary data or Go object.
// It returns nil for objects and arrays.
func Scalar(value sobek.Value) any {
	if object, ok := value.(*sobek.Object); ok && holdsValues(object.ExportType()) {
		return nil
	}
	if value == nil {
		return nil
	}

	return value.Export()
}

// holdsValues reports whether an object of this Go type contains JavaScript values.
func holdsValues(t reflect.Type) bool {
	switch t.Kind() { //nolint:exhaustive // the others have none
	case reflect.Map:
		return true
	case reflect.Slice:
		kind := t.Elem().Kind()

		return kind == reflect.Interface || kind == reflect.Array // arrays, Sets and Maps
	default:
		return false
	}
}

// TextOf returns the text of a string value.
func TextOf(value sobek.Value) (text string, ok bool) {
	s, ok := value.(sobek.String)
	if !ok {
		return "", false
	}

	return s.String(), true
}

// UnsignedOf reads an unsigned 64-bit number: an integer or a BigInt.
func UnsignedOf(value sobek.Value) (n uint64, ok bool) {
	switch v := Scalar(value).(type) {
	case int64:
		return uint64(v), v >= 0
	case float64:
		return uint64(v), v >= 0 && v <= MaxSafeInteger && v == math.Trunc(v)
	case *big.Int:
		return v.Uint64(), v.IsUint64()
	default:
		return 0, false
	}
}

// FromUnsigned converts an unsigned 64-bit number; above MaxSafeInteger to a BigInt.
func FromUnsigned(rt *sobek.Runtime, n uint64) sobek.Value {
	if n <= MaxSafeInteger {
		return rt.ToValue(int64(n))
	}

	return rt.ToValue(new(big.Int).SetUint64(n))
}

// DurationOf reads milliseconds, or a string such as "5s". ok is false for other values and beyond
// 292 years.
func DurationOf(value sobek.Value) (d time.Duration, ok bool) {
	const most = float64(math.MaxInt64 / int64(time.Millisecond))
	given := Scalar(value)
	switch v := given.(type) {
	case int64:
		if math.Abs(float64(v)) >= most {
			return 0, false
		}
	case float64:
		if !(math.Abs(v) < most) { // also rejects NaN
			return 0, false
		}
	}
	d, err := types.GetDurationValue(given)

	return d, err == nil
}

// maxShown limits the array elements that an error shows.
const maxShown = 10

// Show formats a script's value for an error.
func Show(value sobek.Value) string {
	object, ok := value.(*sobek.Object)
	switch {
	case value == nil:
		return "undefined"
	case !ok:
		return value.String()
	}
	if _, isFunction := sobek.AssertFunction(object); isFunction {
		return "a function"
	}
	if class := object.ClassName(); class != "Array" {
		switch t := object.ExportType(); {
		case class != "Object":
			return "an object (" + class + ")"
		case t == reflect.TypeFor[sobek.ArrayBuffer]():
			return "an ArrayBuffer"
		case t == reflect.TypeFor[*sobek.Promise]():
			return "a promise"
		case t.Kind() == reflect.Slice && !holdsValues(t):
			return "a typed array"
		default:
			return "an object"
		}
	}
	n := object.Get("length").ToInteger()
	if n > maxShown {
		return fmt.Sprintf("an array of %d elements", n)
	}
	shown := make([]string, n)
	for i := range shown {
		element := Element(object, i)
		if _, nested := element.(*sobek.Object); nested {
			return fmt.Sprintf("an array of %d elements", n)
		}
		shown[i] = element.String()
	}

	return "[" + strings.Join(shown, ", ") + "]"
}

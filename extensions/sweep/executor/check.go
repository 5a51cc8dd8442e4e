package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// nouns describe the value of an option by its type.
var nouns = map[reflect.Type]string{ //nolint:gochecknoglobals // a constant
	reflect.TypeFor[[]int64]():            "an array of integers",
	reflect.TypeFor[[]float64]():          "an array of numbers",
	reflect.TypeFor[[]string]():           "an array of strings",
	reflect.TypeFor[string]():             "a string",
	reflect.TypeFor[float64]():            "a number",
	reflect.TypeFor[null.Int]():           "an integer",
	reflect.TypeFor[null.Bool]():          "true or false",
	reflect.TypeFor[null.String]():        "a string",
	reflect.TypeFor[types.NullDuration](): "a duration such as '30s'",
	reflect.TypeFor[map[string]string]():  "an object of strings",
	reflect.TypeFor[AllowedFailures]():    "true, or a share such as 0.01 or '1%'",
	reflect.TypeFor[Precision]():          "from '0.1%' to '50%', or an object such as { opsPerSecond: '1%', p99: '5%' }",
}

// checkOptions returns an error that names each invalid option; Go's errors name Go types, and
// often not the option.
func checkOptions(raw []byte, into any) error {
	var given map[string]json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, &given); {
	case errors.As(err, &syntax):
		return fmt.Errorf("options cannot be read: %w", err)
	case err != nil:
		return errors.New("options must be an object")
	}
	fields := NamesAndTypes(reflect.TypeOf(into).Elem())
	for name, value := range given {
		kind, known := fields[name]
		if !known {
			return UnknownOption(name, slices.Collect(maps.Keys(fields)))
		}
		if err := checkOption(name, value, kind); err != nil {
			return err
		}
		if _, latencies := into.(*Find); kind == reflect.TypeFor[types.NullDuration]() {
			if err := checkUnit(value, latencies); err != nil {
				return fmt.Errorf("%s %w", name, err)
			}
		}
	}

	return nil
}

// otherNames maps options of k6's executors and other tools to ours.
var otherNames = map[string]string{ //nolint:gochecknoglobals // a constant
	"ops":              "use opNames",
	"vus":              "use clients, such as [1, 8, 64]: each number is a step",
	"maxVUs":           "preAllocatedVUs clients share the operations of a step, and it gets no more",
	"stages":           "use clients, such as [1, 8, 64], or rate: each number is a step",
	"startVUs":         "use clients, such as [1, 8, 64]: each number is a step",
	"opsPerSecond":     "a search keeps bounds of latency; with of: 'rate' it finds the most operations a second that keep them",
	"rates":            "use rate, such as [100, 1000]: each number is a step",
	"startRate":        "use rate, such as [100, 1000]: each number is a step",
	"arrivalRate":      "use rate, such as [100, 1000]: each number is a step",
	"rps":              "use rate, such as [100, 1000]: each number is a step",
	"target":           "use clients, such as [1, 8, 64], or rate: each number is a step",
	"concurrency":      "use clients, such as [1, 8, 64]: each number is a step",
	"connections":      "use clients, such as [1, 8, 64]: each number is a step",
	"threads":          "use clients, such as [1, 8, 64]: each number is a step",
	"users":            "use clients, such as [1, 8, 64]: each number is a step",
	"repeat":           "use repeats",
	"runs":             "use repeats",
	"warmUp":           "use warmup",
	"step":             "use duration: each step takes it",
	"stepDuration":     "use duration: each step takes it",
	"compare":          "use variants, such as ['base', 'change'], or call sweep.run({ base, change })",
	"baseline":         "use variants, such as ['base', 'change'], or call sweep.run({ base, change })",
	"gracefulRampDown": "use gracefulStop",
}

// UnknownOption returns an error for an unknown option that lists the known ones.
func UnknownOption(name string, known []string) error {
	if instead, is := otherNames[name]; is {
		return fmt.Errorf("unknown option %s: %s", name, instead)
	}
	slices.Sort(known)

	return fmt.Errorf("unknown option %s; known are %s%s", name, strings.Join(known, ", "), stream.DidYouMean(name, known))
}

func checkOption(name string, value json.RawMessage, kind reflect.Type) error {
	if kind == reflect.TypeFor[*Find]() && string(value) != "null" {
		if err := checkOptions(value, &Find{}); err != nil {
			return fmt.Errorf("find: %w", err)
		}

		return nil
	}
	noun, has := nouns[kind]
	if !has || json.Unmarshal(value, reflect.New(kind).Interface()) == nil {
		return nil
	}

	return fmt.Errorf("%s must be %s, but is %s", name, noun, value)
}

// shortestNumber is the least time as a number of milliseconds; smaller numbers were probably meant
// as seconds.
const shortestNumber = 100

// checkUnit refuses a number that k6 would read as milliseconds but was meant otherwise. Bounds of
// latency always need a unit.
func checkUnit(value json.RawMessage, latency bool) error {
	var text string
	number, err := strconv.ParseFloat(string(value), 64)
	wrong := err == nil && number != 0 && (latency || math.Abs(number) < shortestNumber)
	if json.Unmarshal(value, &text) == nil {
		number, err = strconv.ParseFloat(text, 64)
		wrong = err == nil && number != 0
	}
	if !wrong {
		return nil
	}
	amount := strconv.FormatFloat(number, 'f', -1, 64)

	return fmt.Errorf("must have a unit, such as '%ss' or '%sms', but is %s, which would be milliseconds", amount, amount, value)
}

// NamesAndTypes returns the options of a struct and its embedded structs, with their types.
func NamesAndTypes(t reflect.Type) map[string]reflect.Type {
	options := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			for name, kind := range NamesAndTypes(field.Type) {
				options[name] = kind
			}

			continue
		}
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && name != "-" {
			options[name] = field.Type
		}
	}

	return options
}

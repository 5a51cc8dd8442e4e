package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.k6.io/k6/v2/lib/types"
	"gopkg.in/guregu/null.v3"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
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

// checkOptions returns an error that names an invalid option; Go's errors name Go types, and often
// not the option.
func checkOptions(raw []byte, into any) error {
	var given map[string]json.RawMessage
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(raw, &given); {
	case errors.As(err, &syntax):
		return fmt.Errorf("options cannot be read: %w", err)
	case err != nil:
		return errors.New("options must be an object")
	}
	t := reflect.TypeOf(into).Elem()
	for name, value := range given {
		fields := input.Fields(t)
		at := slices.IndexFunc(fields, func(f input.Field) bool { return f.Name == name })
		if at < 0 {
			return UnknownOption(name, input.Names(t))
		}
		if err := checkOption(name, value, fields[at].Type); err != nil {
			return err
		}
	}

	return nil
}

// otherNames have options of k6's executors and other tools, and what to write instead.
var otherNames = []struct{ names, instead string }{ //nolint:gochecknoglobals // a constant
	{"vus startVUs concurrency connections threads users", "use clients, such as [1, 8, 64]: each number is a step"},
	{"stages target", "use clients, such as [1, 8, 64], or rate: each number is a step"},
	{"rates startRate arrivalRate rps", "use rate, such as [100, 1000]: each number is a step"},
	{"maxVUs", "preAllocatedVUs clients share the operations of a step, and it gets no more"},
	{"opsPerSecond", "a search keeps bounds of latency; with of: 'rate' it finds the most operations a second that keep them"},
	{"step stepDuration", "use duration: each step takes it"},
	{"compare baseline", "use variants, such as ['base', 'change'], or call sweep.run({ base, change })"},
	{"runs", "use repeats"},
	{"ops", "use opNames"},
	{"gracefulRampDown", "use gracefulStop"},
}

// UnknownOption returns an error for an unknown option that lists the known ones.
func UnknownOption(name string, known []string) error {
	for _, other := range otherNames {
		if slices.Contains(strings.Fields(other.names), name) {
			return fmt.Errorf("unknown option %q: %s", name, other.instead)
		}
	}
	slices.Sort(known)

	return input.Unknown("", name, known)
}

func checkOption(name string, value json.RawMessage, kind reflect.Type) error {
	if kind == reflect.TypeFor[*Find]() && string(value) != "null" {
		if err := checkFind(value); err != nil {
			return fmt.Errorf("find: %w", err)
		}

		return nil
	}
	if noun, has := nouns[kind]; has && json.Unmarshal(value, reflect.New(kind).Interface()) != nil {
		return fmt.Errorf("%s must be %s, but is %s", name, noun, value)
	}
	if kind == reflect.TypeFor[types.NullDuration]() {
		return input.JSONUnit(name, value)
	}

	return nil
}

// checkFind also refuses limits of latency without a unit.
func checkFind(raw []byte) error {
	err := checkOptions(raw, &Find{})
	var given map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &given) != nil {
		return err
	}
	for name, value := range given {
		if name != "min" && name != "max" {
			if err := input.TextUnit(name, string(value)); err != nil {
				return err
			}
		}
	}

	return nil
}

package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/units"
)

// Options describe a workload, under the names that scripts use. [Defaults] has what applies where
// a script says nothing.
type Options struct {
	Iterations int      `json:"iterations"` // operations of one run; this or Duration
	Duration   Duration `json:"duration"`   // of one run
	Mix        Mix      `json:"mix"`
	Keys       Keys     `json:"keys"`
	Values     Sizes    `json:"values"`
	Verify     bool     `json:"verify"`   // compare what is read with what has to be there
	Batch      int      `json:"batch"`    // keys of a getMulti
	Pipeline   int      `json:"pipeline"` // commands that are sent before their replies are read; 1 is no pipeline
	Seed       uint64   `json:"seed"`
	TTL        TTL      `json:"ttl"` // how long values live
	// AllowMisses makes a read of a prefilled key that misses an operation like any other.
	AllowMisses bool `json:"allowMisses"`
}

// Mix are the shares of the operations, in proportion to each other.
type Mix struct {
	Get      float64 `json:"get"`
	Set      float64 `json:"set"`
	Delete   float64 `json:"delete"`
	Touch    float64 `json:"touch"`
	GetOrSet float64 `json:"getOrSet"`
	GetMulti float64 `json:"getMulti"`
}

// Keys describe which keys there are and how they are drawn. What only some distributions know is
// nil where it has not been said.
type Keys struct {
	Distribution string `json:"distribution"`
	Count        int    `json:"count"`
	Prefix       string `json:"prefix"`
	Size         int    `json:"size"` // bytes of a key, its prefix included; 0 is the prefix and 12 digits

	HotPercent *float64 `json:"hotPercent"` // hotcold, zipf: how many of the keys are hot, from the first on
	HotAccess  *float64 `json:"hotAccess"`  // hotcold: percent of the operations that go to hot keys
	Exponent   *float64 `json:"exponent"`   // zipf: key i is drawn in proportion to 1/(i+1)^exponent
	Mean       *float64 `json:"mean"`       // gaussian: the key that is drawn most
	Deviation  *float64 `json:"deviation"`  // gaussian: the standard deviation, in keys
}

// Distributions of keys.
const (
	Uniform    = "uniform"
	Zipf       = "zipf"
	HotCold    = "hotcold"
	Sequential = "sequential"
	Gaussian   = "gaussian"
)

// Sizes are sizes of values, in bytes: weighted ranges. A script writes 100, {min: 10, max: 100} or
// [{size: 100, weight: 9}, {size: 1000, weight: 1}], by itself or as {size: ...}.
type Sizes []SizeRange

// SizeRange are sizes from Min to Max, each as likely as the others, that are drawn in proportion
// to Weight.
type SizeRange struct {
	Min, Max int
	Weight   float64
}

// Duration is a time in a script: a string such as "30s", or a number of milliseconds from 100.
type Duration time.Duration

// TTL are the seconds that a value lives, which a script writes as a string such as "60s"; 0 is for
// ever. A part of a second is a whole one.
type TTL int

// Defaults are the options of a script that says nothing but how long: 90 % gets and 10 % sets of
// 100 bytes, evenly over 10,000 keys of 16 bytes, verified.
func Defaults() Options {
	return Options{
		Mix:      Mix{Get: 90, Set: 10},
		Keys:     Keys{Distribution: Uniform, Count: 10_000, Prefix: "key:"},
		Values:   Sizes{{Min: 100, Max: 100, Weight: 1}},
		Verify:   true,
		Batch:    10,
		Pipeline: 1,
		Seed:     1,
	}
}

// UnmarshalJSON reads a mix. Operations that it does not name have no share.
func (m *Mix) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	type plain Mix
	read := plain{}
	if err := object("mix", raw, &read); err != nil {
		return err
	}
	*m = Mix(read)

	return nil
}

// UnmarshalJSON reads what is said of the keys.
func (k *Keys) UnmarshalJSON(raw []byte) error {
	type plain Keys

	return object("keys", raw, (*plain)(k))
}

// UnmarshalJSON reads a duration.
func (d *Duration) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	if err := units.JSON("duration", raw); err != nil {
		return err
	}
	var milliseconds float64
	if json.Unmarshal(raw, &milliseconds) == nil {
		if milliseconds > float64(maxDuration/time.Millisecond) {
			return fmt.Errorf("option duration must be at most %s, not %s", maxDuration, raw)
		}
		*d = Duration(milliseconds * float64(time.Millisecond))

		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if parsed, err := time.ParseDuration(text); err == nil {
			*d = Duration(parsed)

			return nil
		}
	}

	return fmt.Errorf(`option duration must be a time such as "30s", or a number of milliseconds from 100, not %s`, short(raw))
}

// UnmarshalJSON reads a time to live.
func (t *TTL) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	var number float64
	var text string
	if json.Unmarshal(raw, &text) == nil {
		if parsed, err := time.ParseDuration(text); err == nil && parsed >= 0 {
			*t = TTL((parsed + time.Second - 1) / time.Second)

			return nil
		}
		if json.Unmarshal([]byte(text), &number) == nil && number > 0 {
			return units.TTL("ttl", number)
		}
	} else if json.Unmarshal(raw, &number) == nil {
		if number > 0 {
			return units.TTL("ttl", number)
		}
		if number == 0 {
			*t = 0

			return nil
		}
	}

	return fmt.Errorf(`option ttl must be a time such as "60s", or 0 for ever, not %s`, short(raw))
}

// isNull tells whether a script said null or undefined, which is nothing.
func isNull(raw []byte) bool { return string(raw) == "null" }

// object reads a JSON object that is the option name, strictly.
func object(name string, raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)

	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wrongType) && wrongType.Field == "":
		return fmt.Errorf("option %s must be an object, not %s", name, short(raw))
	case errors.As(err, &wrongType):
		return fmt.Errorf("option %s.%s must be %s, not a %s", name, wrongType.Field, noun(wrongType.Type), wrongType.Value)
	}
	if unknown, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		return fmt.Errorf("unknown option %s in %s; known are %s", unknown, name, strings.Join(known(into), ", "))
	}

	return err
}

// noun is a type in words that a script's author knows.
func noun(t reflect.Type) string {
	switch t.Kind() { //nolint:exhaustive // there are no others in these options
	case reflect.String:
		return "a string"
	case reflect.Int:
		return "an integer"
	default:
		return "a number"
	}
}

func known(into any) []string {
	t := reflect.TypeOf(into).Elem()
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Tag.Get("json")
	}

	return names
}

// short is a JSON value as a message can hold it.
func short(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return string(raw[:most]) + "..."
	}

	return string(raw)
}

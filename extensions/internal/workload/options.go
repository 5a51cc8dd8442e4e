package workload

import (
	"encoding/json"
	"fmt"
	"time"

	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/input"
)

// Options describe a workload, under their names in scripts. [Defaults] returns the defaults.
type Options struct {
	Iterations int                `json:"iterations"` // operations in a run; exclusive with Duration
	Duration   types.NullDuration `json:"duration"`   // length of a run; exclusive with Iterations
	Mix        Mix                `json:"mix"`
	// Commands are run instead of Mix, if there are any.
	Commands []CommandOptions `json:"commands"`

	Keys     Keys   `json:"keys"`
	Values   Sizes  `json:"values"`
	Verify   bool   `json:"verify"`   // compare values read with the expected ones
	Batch    int    `json:"batch"`    // keys in a getMulti
	Pipeline int    `json:"pipeline"` // commands sent before their replies are read; 1 disables pipelining
	Seed     uint64 `json:"seed"`
	TTL      TTL    `json:"ttl"` // how long values live
	// AllowMisses counts reads that miss a prefilled key as successful.
	AllowMisses bool `json:"allowMisses"`
}

// Mix holds the relative shares of the operations.
type Mix struct {
	Get      float64 `json:"get"`
	Set      float64 `json:"set"`
	Delete   float64 `json:"delete"`
	Touch    float64 `json:"touch"`
	GetOrSet float64 `json:"getOrSet"`
	GetMulti float64 `json:"getMulti"`
}

// Keys describe the keys and how they are drawn. Options that only some distributions have are nil
// if the script does not set them.
type Keys struct {
	Distribution string `json:"distribution"`
	Count        int    `json:"count"`
	Prefix       string `json:"prefix"`
	Size         int    `json:"size"` // bytes in a key, including the prefix; 0 means the prefix and 12 digits

	HotPercent *float64 `json:"hotPercent"` // hotcold, zipf: percentage of the keys that are hot; these come first
	HotAccess  *float64 `json:"hotAccess"`  // hotcold: percentage of the operations that use hot keys
	Exponent   *float64 `json:"exponent"`   // zipf: key i has probability proportional to 1/(i+1)^exponent
	Mean       *float64 `json:"mean"`       // gaussian: the most likely key
	Deviation  *float64 `json:"deviation"`  // gaussian: standard deviation in keys
}

// Distributions of keys.
const (
	Uniform    = "uniform"
	Zipf       = "zipf"
	HotCold    = "hotcold"
	Sequential = "sequential"
	Gaussian   = "gaussian"
)

// Sizes are weighted ranges of value sizes in bytes. A script writes 100, {min: 10, max: 100} or
// [{size: 100, weight: 9}, {size: 1000, weight: 1}].
type Sizes []SizeRange

// SizeRange is a uniform range of sizes, chosen in proportion to Weight.
type SizeRange struct {
	Min, Max int
	Weight   float64
}

// TTL is a time to live in seconds, rounded up; 0 means no expiry. Scripts write "60s".
type TTL int

// Defaults returns the defaults: 90 % gets and 10 % sets of 100 bytes, uniform over 10,000 keys of
// 16 bytes, verified. A script must add iterations or duration.
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

// UnmarshalJSON reads a mix. Omitted operations get the share 0.
func (m *Mix) UnmarshalJSON(raw []byte) error {
	if isNull(raw) {
		return nil
	}
	type plain Mix
	read := plain{}
	if err := input.Decode("mix.", raw, &read); err != nil {
		return err
	}
	*m = Mix(read)

	return nil
}

// UnmarshalJSON reads the options of the keys.
func (k *Keys) UnmarshalJSON(raw []byte) error {
	type plain Keys

	return input.Decode("keys.", raw, (*plain)(k))
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
			return input.TTLUnit("ttl", number)
		}
	} else if json.Unmarshal(raw, &number) == nil {
		if number > 0 {
			return input.TTLUnit("ttl", number)
		}
		if number == 0 {
			*t = 0

			return nil
		}
	}

	return fmt.Errorf(`option ttl must be a time such as "60s", or 0 for ever, not %s`, short(raw))
}

func isNull(raw []byte) bool { return string(raw) == "null" }

func short(raw []byte) string {
	const most = 40
	if len(raw) > most {
		return string(raw[:most]) + "..."
	}

	return string(raw)
}

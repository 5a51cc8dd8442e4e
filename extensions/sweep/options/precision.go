package options

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/interval"
)

// Precision is how well the figures of a step are to be known before it ends.
type Precision struct{ interval.Aim }

// What a precision may be.
const (
	finestPrecision   = 0.001
	coarsestPrecision = 0.5
)

var errPrecision = errors.New("no precision")

// UnmarshalJSON reads the precision of operations a second, such as 0.01 or '1%', or an object with
// that of opsPerSecond and of p99.
func (p *Precision) UnmarshalJSON(raw []byte) error {
	p.Aim = interval.Aim{}
	if string(raw) == "null" {
		return nil
	}
	var each map[string]json.RawMessage
	if json.Unmarshal(raw, &each) != nil {
		return readPart(raw, &p.OpsPerSecond)
	}
	for figure, part := range each {
		into := map[string]*float64{"opsPerSecond": &p.OpsPerSecond, "p99": &p.P99}[figure]
		if into == nil {
			return errPrecision
		}
		if err := readPart(part, into); err != nil {
			return err
		}
	}
	if !p.Some() {
		return errPrecision
	}

	return nil
}

// readPart reads a number such as 0.01, or '1%'.
func readPart(raw []byte, into *float64) error {
	part, is := readShare(raw)
	if !is || !(part >= finestPrecision && part <= coarsestPrecision) {
		return errPrecision
	}
	*into = part

	return nil
}

// MarshalJSON writes what UnmarshalJSON reads: archives of k6 hold the options as JSON.
func (p Precision) MarshalJSON() ([]byte, error) {
	if !p.Some() {
		return []byte("null"), nil
	}
	each := map[string]float64{}
	if p.OpsPerSecond > 0 {
		each["opsPerSecond"] = p.OpsPerSecond
	}
	if p.P99 > 0 {
		each["p99"] = p.P99
	}

	return json.Marshal(each)
}

// ShowsIntervals tells whether the tables have columns of intervals.
func (c *Config) ShowsIntervals() bool {
	if c.Intervals.Valid {
		return c.Intervals.Bool
	}

	return c.Precision.Some()
}

// Words say how well the figures are to be known.
func (p Precision) Words() string { return Known(p.Aim, p.Aim) }

// Known says of the figures that are asked for how well they are known.
func Known(is, asked interval.Aim) string {
	var words []string
	if asked.OpsPerSecond > 0 {
		words = append(words, "ops/s "+plusMinus(is.OpsPerSecond))
	}
	if asked.P99 > 0 {
		words = append(words, "p99 "+plusMinus(is.P99))
	}

	return strings.Join(words, ", ")
}

func plusMinus(part float64) string {
	if math.IsInf(part, 1) {
		return "not known yet"
	}

	return "±" + strconv.FormatFloat(100*part, 'g', 2, 64) + " %"
}

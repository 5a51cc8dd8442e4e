package executor

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Precision is the precision that a step's figures must reach.
type Precision struct{ stats.Aim }

// Limits of a precision.
const (
	finestPrecision   = 0.001
	coarsestPrecision = 0.5
)

var errPrecision = errors.New("no precision")

// UnmarshalJSON reads the precision of ops/s, such as 0.01 or '1%', or an object with opsPerSecond
// and p99.
func (p *Precision) UnmarshalJSON(raw []byte) error {
	p.Aim = stats.Aim{}
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

func readPart(raw []byte, into *float64) error {
	part, is := readShare(raw)
	if !is || !(part >= finestPrecision && part <= coarsestPrecision) {
		return errPrecision
	}
	*into = part

	return nil
}

// MarshalJSON writes the form that UnmarshalJSON reads, for k6's archives.
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

// Words formats the precision.
func (p Precision) Words() string { return Known(p.Aim, p.Aim) }

// Known formats the precision reached for the figures asked for.
func Known(is, asked stats.Aim) string {
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

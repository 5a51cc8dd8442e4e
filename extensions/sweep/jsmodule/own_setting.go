package jsmodule

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// ownSetting reads one setting.
type ownSetting struct {
	usual   any // nil if there is none
	accepts string
	read    func(text string) (value any, ok bool)
}

// described is a setting as a script describes it. Its default alone is enough for most: 1000,
// true, '10s', [1, 8, 64], or ['get', 'set'] for one of these words.
type described struct {
	Type     string   `json:"type"`
	Usual    any      `json:"usual"`
	From     *float64 `json:"from"`
	To       *float64 `json:"to"`
	OneOf    []string `json:"oneOf"`
	SomeOf   []string `json:"someOf"`
	SharesOf []string `json:"sharesOf"`
}

type share struct {
	name  string
	share float64
}

func newOwnSetting(value sobek.Value) (*ownSetting, error) {
	exported, err := k6x.Export(value)
	if err != nil {
		return nil, err
	}
	d := described{Usual: exported}
	switch usual := exported.(type) {
	case map[string]any:
		d.Usual = nil
		if err := k6x.ReadOptions(value, &d); err != nil {
			return nil, err
		}
	case []any:
		for _, word := range usual {
			if text, is := word.(string); is {
				d.OneOf, d.Usual = append(d.OneOf, text), usual[0]
			}
		}
	}
	one := d.setting()
	if one == nil {
		return nil, fmt.Errorf("there is no type %q: it must be bytes, duration, flag, integer, integers, number or text", d.Type)
	}
	if text, is := d.Usual.(string); is && len(d.SharesOf) > 0 {
		one.usual, is = one.read(text)
		if !is {
			return nil, errors.New("usual must be " + one.accepts)
		}
	}

	return one, nil
}

// setting returns nil for an unknown type.
func (d *described) setting() *ownSetting {
	switch {
	case len(d.OneOf) > 0:
		return &ownSetting{d.Usual, "one of " + strings.Join(d.OneOf, ", "), func(text string) (any, bool) {
			return text, slices.Contains(d.OneOf, text)
		}}
	case len(d.SomeOf) > 0:
		usual := d.Usual
		if usual == nil {
			usual = anys(d.SomeOf)
		}

		return &ownSetting{usual, "all, or some of " + strings.Join(d.SomeOf, ", ") + " with commas between them", d.someOf}
	case len(d.SharesOf) > 0:
		return &ownSetting{d.Usual, "shares of " + strings.Join(d.SharesOf, ", ") + ", such as " + d.SharesOf[0] + ":1", d.shares}
	}
	switch d.kind() {
	case "text":
		return &ownSetting{d.Usual, "a text", anyText}
	case "flag":
		return &ownSetting{d.Usual, "true or false", flag}
	case "integer":
		return &ownSetting{d.Usual, "an integer" + d.bounds(1), func(text string) (any, bool) { return d.integer(text) }}
	case "integers":
		return &ownSetting{d.Usual, "integers" + d.bounds(1) + " with commas between them", d.integers}
	case "number":
		return &ownSetting{d.Usual, "a number" + d.bounds(0), func(text string) (any, bool) { return d.number(text, 0) }}
	case "bytes":
		return &ownSetting{d.Usual, "a size such as 100, 1KB or 1MiB," + d.bounds(1), d.bytes}
	case "duration":
		return &ownSetting{d.Usual, d.accepted(), d.duration}
	default:
		return nil
	}
}

// kind returns the type, by default that of the default.
func (d *described) kind() string {
	if d.Type != "" {
		return d.Type
	}
	switch usual := d.Usual.(type) {
	case bool:
		return "flag"
	case int64, float64:
		return "integer"
	case []any:
		return "integers"
	case string:
		if _, ok := (&described{}).duration(usual); ok {
			return "duration"
		}
	}

	return "text"
}

func anys(words []string) []any {
	list := make([]any, len(words))
	for i, word := range words {
		list[i] = word
	}

	return list
}

func (d *described) someOf(text string) (any, bool) {
	if text == "all" {
		return anys(d.SomeOf), true
	}
	words := strings.Split(text, ",")
	seen := map[string]bool{}
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
		if !slices.Contains(d.SomeOf, words[i]) || seen[words[i]] {
			return nil, false
		}
		seen[words[i]] = true
	}

	return anys(words), true
}

func (d *described) shares(text string) (any, bool) {
	var all []share
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, ":")
		n, ok := (&described{}).number(strings.TrimSpace(number), 0)
		if name = strings.TrimSpace(name); !ok || !slices.Contains(d.SharesOf, name) {
			return nil, false
		}
		all = append(all, share{name, n})
	}

	return all, true
}

// number reads a number within the bounds; least is the lowest without from.
func (d *described) number(text string, least float64) (n float64, ok bool) {
	if d.From != nil {
		least = *d.From
	}
	n, err := strconv.ParseFloat(text, 64)

	return n, err == nil && n >= least && n <= d.most()
}

func (d *described) most() float64 {
	if d.To != nil {
		return *d.To
	}

	return math.MaxInt64
}

func (d *described) bounds(least float64) string {
	if d.From != nil {
		least = *d.From
	}
	bounds := fmt.Sprintf(" from %.0f", least)
	if d.To != nil {
		bounds += fmt.Sprintf(" to %.0f", *d.To)
	}

	return bounds
}

func (d *described) integer(text string) (n int64, ok bool) {
	number, ok := d.number(text, 1)

	return int64(number), ok && number == math.Trunc(number)
}

func (d *described) integers(text string) (any, bool) {
	var list []any
	for part := range strings.SplitSeq(text, ",") {
		n, ok := d.integer(strings.TrimSpace(part))
		if !ok {
			return nil, false
		}
		list = append(list, n)
	}

	return list, true
}

var (
	size      = regexp.MustCompile(`(?i)^(\d+(?:\.\d+)?) ?(?:([KMG])(i?))?B?$`)
	multiples = map[string]int{"": 0, "K": 1, "M": 2, "G": 3} //nolint:gochecknoglobals // a constant
)

// bytes reads a size: 100, 1KB (1,000) or 1KiB (1,024).
func (d *described) bytes(text string) (any, bool) {
	found := size.FindStringSubmatch(text)
	if found == nil {
		return nil, false
	}
	unit := 1000.0
	if found[3] != "" {
		unit = 1024
	}
	amount, _ := strconv.ParseFloat(found[1], 64)

	return d.integer(strconv.FormatFloat(amount*math.Pow(unit, float64(multiples[strings.ToUpper(found[2])])), 'f', -1, 64))
}

// duration reads a time with a unit. Zero needs from: 0; from is in milliseconds.
func (d *described) duration(text string) (any, bool) {
	took, ok := withUnit(text)
	least := time.Nanosecond
	if d.From != nil {
		least = time.Duration(*d.From * float64(time.Millisecond))
	}

	return text, ok && took >= least
}

func (d *described) accepted() string {
	accepts := "a duration such as 30s, 1m30s or 500ms"
	if d.From == nil {
		accepts += ", more than 0"
	}

	return accepts
}

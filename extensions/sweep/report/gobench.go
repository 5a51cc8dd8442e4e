package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

type benchUnit struct {
	name, better string
	figure       func(*Step) float64
}

var benchUnits = newBenchUnits() //nolint:gochecknoglobals // a constant

func newBenchUnits() []benchUnit {
	units := []benchUnit{{"ns/op", "lower", nsPerOp}}
	for i := range Figures {
		f := &Figures[i]
		if f.Rate {
			units = append(units, benchUnit{f.Name, "higher", f.Of})
		} else {
			units = append(units, benchUnit{f.Key + "-ns/op", "lower", func(s *Step) float64 { return f.Of(s) * 1e6 }})
		}
	}

	return append(units, benchUnit{"failed", "lower", func(s *Step) float64 { return float64(s.Failed) }})
}

// GoBench renders the report in the Go benchmark format, for benchstat: one line for each repeat of
// a step and kind of operation. Repeats have the same name, so benchstat takes them as samples.
//
// As in a Go benchmark with b.RunParallel, ns/op is the step time divided by the number of
// successful operations. The duration of an operation is in mean-ns/op and the percentiles. A step
// without a successful operation is left out.
//
// The configuration has only the keys of Go's own benchmarks, because benchstat compares nothing
// across different configurations. Other facts, such as target-version, are in lines that benchstat
// ignores. The address is left out: another port is the same target.
func (r *Report) GoBench() string {
	var b strings.Builder
	goos, goarch, _ := strings.Cut(r.Host.OS, "/")
	configLine(&b, "goos", goos)
	configLine(&b, "goarch", goarch)
	configLine(&b, "pkg", r.Scenario)
	configLine(&b, "cpu", r.Host.CPU)
	configLine(&b, "# k6", r.K6)
	for _, key := range []string{"kind", "version", "driver"} {
		if text, ok := r.Target[key].(string); ok {
			configLine(&b, "# target-"+key, text)
		}
	}
	for _, u := range benchUnits {
		fmt.Fprintf(&b, "Unit %s better=%s\n", u.name, u.better)
	}
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Operations > 0 {
			r.benchLine(&b, s)
		}
	}

	return b.String()
}

// nsPerOp returns the measured time divided by the operations. If all operations ended after the
// window, it uses the step time.
func nsPerOp(s *Step) float64 {
	operations, seconds := s.rated()
	if operations == 0 {
		operations, seconds = s.Operations, s.Seconds
	}

	return seconds * 1e9 / float64(operations)
}

// configLine writes nothing for an unknown value.
func configLine(b *strings.Builder, key, value string) {
	if value = oneLineOf(value); value != "" {
		fmt.Fprintf(b, "%s: %s\n", key, value)
	}
}

func (r *Report) benchLine(b *strings.Builder, s *Step) {
	fmt.Fprintf(b, "Benchmark%s/op=%s", benchName(r.Scenario), benchPart(s.Op))
	if variant := s.Key().Variant; variant != "" {
		b.WriteString("/variant=" + benchPart(variant))
	}
	fmt.Fprintf(b, "/clients=%d", s.Clients)
	if s.Rate != 0 {
		b.WriteString("/rate=" + strconv.FormatFloat(s.Rate, 'f', -1, 64))
	}
	if r.Host.Cores > 1 { // as package testing does with GOMAXPROCS
		fmt.Fprintf(b, "-%d", r.Host.Cores)
	}
	fmt.Fprintf(b, "\t%d", s.Operations)
	for _, u := range benchUnits {
		fmt.Fprintf(b, "\t%s %s", strconv.FormatFloat(u.figure(s), 'f', -1, 64), u.name)
	}
	b.WriteString("\n")
}

// benchName formats a scenario's name like a Go benchmark: "stock-rollup" is "StockRollup".
func benchName(scenario string) string {
	var b strings.Builder
	upper := true
	for _, c := range scenario {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			upper = true

			continue
		}
		if upper {
			c = unicode.ToUpper(c)
		}
		upper = false
		b.WriteRune(c)
	}

	return b.String()
}

// benchPart formats a name as one part of a benchmark's name. It escapes spaces, slashes, equals
// signs, percent signs and invisible characters as in URLs (%2F), so that different names stay
// different.
func benchPart(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c == '/' || c == '=' || c == '%' || c == unicode.ReplacementChar || !unicode.IsGraphic(c) || unicode.IsSpace(c) {
			for _, octet := range []byte(string(c)) {
				fmt.Fprintf(&b, "%%%02X", octet)
			}

			continue
		}
		b.WriteRune(c)
	}

	return b.String()
}

package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// benchUnit is a unit of the Go benchmark format, with the figure that it is of.
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
// a step and kind of operation, named as its step, so that repeats are the samples of one
// benchmark.
//
// As in a Go benchmark with b.RunParallel, the iterations are the successful operations and ns/op
// is the step time over their number: what an operation costs while all clients are at work. How
// long an operation takes is in mean-ns/op and in the percentiles; benchstat shows all of them in
// seconds. A step without a successful operation has none of these and is left out.
//
// The configuration is only what Go's own benchmarks have: benchstat compares nothing across runs
// whose configurations differ. What was measured against (target-version and the like) is for
// people, in lines that benchstat passes over. The address is left out: another port is no other
// target.
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

// nsPerOp is the time that ops/s are of over the number of operations. Where all operations ended
// after the window, it is of these.
func nsPerOp(s *Step) float64 {
	operations, seconds := s.rated()
	if operations == 0 {
		operations, seconds = s.Operations, s.Seconds
	}

	return seconds * 1e9 / float64(operations)
}

// configLine writes nothing for what is not known: a key without a value would only be in the way.
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
	if r.Host.Cores > 1 { // as package testing writes GOMAXPROCS
		fmt.Fprintf(b, "-%d", r.Host.Cores)
	}
	fmt.Fprintf(b, "\t%d", s.Operations)
	for _, u := range benchUnits {
		fmt.Fprintf(b, "\t%s %s", strconv.FormatFloat(u.figure(s), 'f', -1, 64), u.name)
	}
	b.WriteString("\n")
}

// benchName writes a scenario's name as Go names benchmarks: "stock-rollup" is "StockRollup".
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

// benchPart writes a name as one part of a benchmark's. Spaces would end the benchmark's name,
// slashes begin another part, and equals signs separate a part's key: each byte of these, of
// percent signs and of characters that cannot be seen is written as in URLs, such as %2F, so that
// two names stay two.
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

package report

import (
	"encoding/json"
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

// benchmarkActionEntry is one figure in the format of github-action-benchmark's custom tools.
// https://github.com/benchmark-action/github-action-benchmark#examples
type benchmarkActionEntry struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Value float64 `json:"value"`
	Range string  `json:"range,omitempty"`
	Extra string  `json:"extra,omitempty"`
}

// BiggerIsBetter renders the median ops/s of each step for the tool customBiggerIsBetter of
// github-action-benchmark; 0 without a successful operation.
func (r *Report) BiggerIsBetter() ([]byte, error) { return r.benchmarkAction(true) }

// SmallerIsBetter renders the median latencies of each step in milliseconds, and its failed
// operations, for the tool customSmallerIsBetter of github-action-benchmark. A step without a
// successful operation has no latencies.
func (r *Report) SmallerIsBetter() ([]byte, error) { return r.benchmarkAction(false) }

func (r *Report) benchmarkAction(bigger bool) ([]byte, error) {
	entries := []benchmarkActionEntry{}
	groups := r.Groups()
	for i := range groups {
		g := &groups[i]
		extra := Plural(len(g.Steps), "repeat")
		add := func(figure, unit string, values []float64) {
			e := benchmarkActionEntry{Name: r.Scenario + ": " + g.Name() + ", " + figure, Unit: unit, Value: Median(values), Extra: extra}
			if of := plusMinusOf(values); len(values) > 1 && of != "" {
				e.Range = "± " + of
			}
			entries = append(entries, e)
		}
		done := g.Succeeded()
		for j := range Figures {
			f := &Figures[j]
			switch {
			case f.Chance:
			case f.Rate && bigger:
				add(f.Name, f.Name, g.Values(f.Of))
			case !f.Rate && !bigger && len(done.Steps) > 0:
				add(f.Name, "ms", done.Values(f.Of))
			}
		}
		if !bigger {
			add("failed", "operations", g.Values(func(s *Step) float64 { return float64(s.Failed) }))
		}
	}
	out, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("report of %s for github-action-benchmark: %w", r.Scenario, err)
	}

	return append(out, '\n'), nil
}

// OpenMetrics renders the figures of each step in the text format of OpenMetrics 1.0, for GitLab's
// metrics report and Prometheus tools. It uses the names of the live metrics, and medians of
// repeats.
func (r *Report) OpenMetrics() string {
	var b strings.Builder
	groups := r.Groups()
	for i := range Figures {
		f := &Figures[i]
		fmt.Fprintf(&b, "# TYPE sweep_%s gauge\n", f.Key)
		unit := "Milliseconds, of successful operations"
		if f.Rate {
			unit = "Successful operations a second"
		}
		fmt.Fprintf(&b, "# HELP sweep_%s %s: %s.\n", f.Key, unit, f.Name)
		for j := range groups {
			done := groups[j].Succeeded()
			if len(done.Steps) == 0 {
				continue
			}
			fmt.Fprintf(&b, "sweep_%s{%s} %s\n", f.Key, labels(r.Scenario, &groups[j].Key), openNumber(Median(done.Values(f.Of))))
		}
	}
	b.WriteString("# TYPE sweep_failed_operations gauge\n# HELP sweep_failed_operations Operations that failed, of all repeats.\n")
	for j := range groups {
		failed := uint64(0)
		for _, s := range groups[j].Steps {
			failed += s.Failed
		}
		fmt.Fprintf(&b, "sweep_failed_operations{%s} %d\n", labels(r.Scenario, &groups[j].Key), failed)
	}
	b.WriteString("# EOF\n")

	return b.String()
}

func openNumber(value float64) string { return strconv.FormatFloat(value, 'g', -1, 64) }

func labels(scenario string, k *Key) string {
	all := []string{label("scenario", scenario), label("op", k.Op), label("clients", strconv.Itoa(k.Clients))}
	if k.Rate != 0 {
		all = append(all, label("rate", openNumber(k.Rate)))
	}
	if k.Variant != "" {
		all = append(all, label("variant", k.Variant))
	}

	return strings.Join(all, ",")
}

func label(name, value string) string {
	return name + `="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(value, "\uFFFD")) + `"`
}

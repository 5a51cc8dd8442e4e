package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// duetOf is a report of 8 clients whose change has so much of the ops/s of base.
func duetOf(low, ratio, high float64) *report.Report {
	step := func(variant string, rate, cpu float64) report.Step {
		return report.Step{Op: "get", Clients: 8, Repeat: 1, Variant: variant, OpsPerSecond: rate, Operations: 1000, CPU: report.CPUSeconds{K6: cpu}}
	}
	base, change := step(report.Base, 90000, 0.011), step(report.Change, 90000*ratio, 0.01)
	base.OverTime = &report.OverTime{}

	return &report.Report{
		Steps: []report.Step{base, change},
		Duets: []report.Duet{{Clients: 8, Repeat: 1, Op: "get", Figures: []report.DuetFigure{
			{Figure: "opsPerSecond", Base: 90000, Change: 90000 * ratio, Ratio: ratio, Low: low, High: high},
		}}},
	}
}

func TestTable(t *testing.T) {
	for want, rep := range map[string]*report.Report{
		"| 8 | 90452 | -0.50 % | -0.60 % to -0.40 % | held | 10 µs | 11 µs |\n":      duetOf(1/0.996, 1/0.995, 1/0.994),
		"| 8 | 94737 | -5.00 % | -6.00 % to -4.00 % | crossed | 10 µs | 11 µs |\n":   duetOf(1/0.96, 1/0.95, 1/0.94),
		"| 8 | 90000 | +0.00 % | -2.00 % to +2.00 % | undecided | 10 µs | 11 µs |\n": duetOf(1/1.02, 1, 1/0.98),
		"| 8 | 81818 | +10.00 % | +9.00 % to +11.00 % | held | 10 µs | 11 µs |\n":    duetOf(1/1.11, 1/1.1, 1/1.09),
		"| 8 | 90909 | -1.00 % | -1.00 % to -1.00 % | held | 10 µs | 11 µs |\n":      duetOf(1/0.99, 1/0.99, 1/0.99),
		"| 8 | 90918 | -1.01 % | -1.02 % to -1.01 % | crossed | 10 µs | 11 µs |\n":   duetOf(1/0.9899, 1/0.9899, 1/0.9898),
	} {
		table, err := tableOf(rep)
		require.NoError(t, err)
		require.Contains(t, table, want)
	}
}

func TestReportsThatShowNothing(t *testing.T) {
	_, err := tableOf(&report.Report{})
	require.EqualError(t, err, "it has no duet")

	short := duetOf(1, 1, 1)
	short.Duets[0].Figures, short.Duets[0].Why = nil, "2 pairs"
	_, err = tableOf(short)
	require.EqualError(t, err, "8 clients: 2 pairs")

	both := duetOf(1, 1, 1)
	both.Steps[1].OverTime = &report.OverTime{}
	_, err = tableOf(both)
	require.EqualError(t, err, "8 clients: that change is kept over time is true")

	one := duetOf(1, 1, 1)
	one.Steps = one.Steps[:1]
	_, err = tableOf(one)
	require.EqualError(t, err, "8 clients: it has not both variants")
}

func TestBenchmarks(t *testing.T) {
	const written = `goos: linux
BenchmarkRecord/with-2  	 100	        30.5 ns/op	       0 B/op
BenchmarkRecord/with-2  	 100	        31.5 ns/op	       0 B/op
BenchmarkRecord/without-2	 100	        20.1 ns/op	       0 B/op
BenchmarkTurnOfASlot-2  	 100	      9876 ns/op	        12.34 us/slot
BenchmarkSlotsOfAStep/1-2	 100	      9876 ns/op	         0.1230 MB/step
BenchmarkSlotsOfAStep/16-2	 100	      9876 ns/op	         4.2 MB/step
`
	line, err := benchmarked(written)
	require.NoError(t, err)
	require.Regexp(t, `20\.1 ns without and 31\.0 ns with\.\n.* takes 12\.3 µs, .*\n.* takes 0\.12 MB, and 4\.20 MB \(crossed\) with 16 kinds`, line)
	_, err = benchmarked("PASS")
	require.ErrorContains(t, err, "there is no Benchmark")
}

func TestTextTakesItsPlace(t *testing.T) {
	page := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(page, []byte("before\n<!-- slots: scripts/proof/slots.sh -->\nold\n<!-- end of slots -->\nafter\n"), 0o600))
	for range 2 { // again and again
		require.NoError(t, place(page, "new\n"))
		written, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Equal(t, "before\n<!-- slots: scripts/proof/slots.sh -->\nnew\n<!-- end of slots -->\nafter\n", string(written))
	}
	require.NoError(t, os.WriteFile(page, []byte("nothing"), 0o600))
	require.ErrorContains(t, place(page, ""), "has no place for the text")
}

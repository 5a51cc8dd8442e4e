package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func tables(text string) [][]string {
	var out [][]string
	for block := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(block, "|") {
			out = append(out, strings.Split(strings.TrimSuffix(block, "\n"), "\n"))
		}
	}

	return out
}

// bar matches an unescaped bar, which ends a cell.
var bar = regexp.MustCompile(`\\.|\|`)

func cellsOf(line string) int {
	n := -1
	for _, found := range bar.FindAllString(line, -1) {
		if found == "|" {
			n++
		}
	}

	return n
}

// All lines of a table have the same width and number of cells.
func TestMarkdownTables(t *testing.T) {
	for name, r := range reports() {
		t.Run(name, func(t *testing.T) {
			found := tables(r.Markdown())
			require.Len(t, found[0], 2+len(r.WithTotals()))
			require.GreaterOrEqual(t, cellsOf(found[0][0]), map[bool]int{true: 6, false: 10}[r.Script != nil])
			for _, lines := range found {
				for _, line := range lines {
					require.Equal(t, cellsOf(lines[0]), cellsOf(line), line)
					require.Equal(t, utf8.RuneCountInString(lines[0]), utf8.RuneCountInString(line), line)
				}
			}
		})
	}
}

func header(r *Report) []string {
	var out []string
	for _, c := range r.columns() {
		out = append(out, c.title)
	}

	return out
}

func TestMarkdownColumns(t *testing.T) {
	require.Equal(t, []string{
		"Ver", "scenario", "clients", "per client", "ops/s", "min client", "max client", "avg client", "p50", "p99", "failed",
	}, header(madeUp(nil)))
	require.Equal(t, []string{"Ver", "scenario", "rate", "clients", "per client"}, header(reports()["rates"])[:5])
	require.Equal(t, []string{"Ver", "scenario", "clients", "repeat", "per client"}, header(reports()["repeats"])[:5])
	require.Len(t, tables(madeUp(nil).Markdown()), 1, "no medians of one repeat")
	require.Len(t, tables(reports()["repeats"].Markdown()), 2)
}

func TestMedianColumns(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{step(8, 1, "get", open(5, 0)), step(8, 1, "set", open(5, 0)), step(8, 2, "get", open(5, 0)), step(8, 2, "set", open(5, 0))}
	})
	text := r.Markdown()
	require.Contains(t, text, "\nMedians of 2 repeats\n\n| rate | clients | op      |")
	require.Contains(t, text, "\n|  5/s |       8 | set     |  6,316/s |   ? | 1.424ms | 7.200ms |   ? |\n")
	require.Contains(t, text, "\n± ?: fewer than 4 repeats tell no interval.\n")
	r = madeUp(func(r *Report) { r.Steps = nil })
	for repeat, percent := range []float64{0, 2, -1, 1, -0.5} {
		r.Steps = append(r.Steps, step(8, repeat+1, "get", slower(percent)))
	}
	require.Contains(t, r.Markdown(), " 2.0% |\n\n± is how far the farther end of the median's confidence interval is from it: 93.75 % with 5 repeats.\n")
	require.Contains(t, reports()["repeats"].Markdown(), "\nMedians of 2 to 3 repeats\n")
}

// A repeat without a successful operation has no latencies, and must not lower the medians.
func TestMediansOfRepeatsThatSucceeded(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{step(8, 1, "get"), step(8, 2, "get", nothingDone), step(8, 3, "get"), step(64, 1, "get", nothingDone), step(64, 2, "get", nothingDone)}
	})
	found := tables(r.Markdown())
	fields := func(line string) []string { return strings.Fields(strings.ReplaceAll(line, "|", " ")) }
	require.Equal(t, []string{"8", "6,316/s", "?", "1.424ms", "7.200ms", "?"}, fields(found[1][2]))
	require.Equal(t, []string{"64", "0/s", "-", "-", "-", "-"}, fields(found[1][3]))
	require.Regexp(t, `\| +- \| +- \| +80,000 \|$`, found[0][3], "p50 and p99 of the step itself")
}

func nothingDone(s *Step) {
	s.Failed, s.Operations, s.OpsPerSecond, s.Latency = uint64(s.Operations), 0, 0, LatencyMs{}
}

func TestPerClientIsSaidOnceAStep(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = []Step{step(1, 1, "get"), step(1, 1, "set"), step(8, 1, "get"), step(8, 1, "set"), step(8, 2, "get"), step(8, 2, "set")}
	})
	r = r.withTotals()
	for i := range r.Steps {
		require.Equal(t, map[bool]string{true: "10,000"}[r.Steps[i].Op == TotalOp], r.perClientCell(i), "it is of all kinds together")
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		middle float64
	}{
		{[]float64{5}, 5},
		{[]float64{3, 1}, 2},
		{[]float64{9, 1, 2}, 2},
		{[]float64{10, 10.4, 9.9, 10.1}, 10.05},
		{[]float64{0, 0, 7}, 0},
		{nil, 0},
	} {
		before := slices.Clone(tt.values)
		require.InDelta(t, tt.middle, Median(tt.values), 1e-9)
		require.Equal(t, before, tt.values, "left as they were")
	}
}

func TestSearchNote(t *testing.T) {
	two := func(r *Report) { r.Steps = []Step{step(4, 1, "a"), step(2, 1, "a")} }
	for _, tt := range []struct {
		name   string
		search Search
		change func(*Report)
		want   string
	}{
		{"clients", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 48}, nil, "The highest number of clients that keeps p99 <= 5ms is 48 (of at most 512)."},
		{"many clients", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 5120, Found: 4800}, nil, "The highest number of clients that keeps p99 <= 5ms is 4,800 (of at most 5,120)."},
		{"not even one", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 0}, nil, "Not even 1 client keeps p99 <= 5ms."},
		{"not even two", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 0}, two, "Not even 2 clients keep p99 <= 5ms."},
		{"no step at all", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 0}, func(r *Report) { r.Steps = nil }, "Not even 1 client keeps p99 <= 5ms."},
		{"rate", Search{Of: "rate", Bound: "p99 <= 5ms", Max: 1e6, Found: 1200}, nil, "The highest rate that keeps p99 <= 5ms is 1,200/s (of at most 1,000,000/s)."},
		{
			"sure of both sides", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Found: 48, Bracket: &Bracket{Low: 48, High: 49}}, nil,
			"The highest number of clients that keeps p99 <= 5ms is 48 (of at most 512). Tried again, 48 keeps it and 49 does not.",
		},
		{
			"sure of the most", Search{Of: "rate", Bound: "p99 <= 5ms", Max: 4800, Found: 4800, Bracket: &Bracket{Low: 4800}}, nil,
			"The highest rate that keeps p99 <= 5ms is 4,800/s (of at most 4,800/s). Tried again, 4,800/s keeps it.",
		},
		{
			"sure of none", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Bracket: &Bracket{High: 1}}, nil,
			"Not even 1 client keeps p99 <= 5ms. Tried again, 1 does not keep it.",
		},
		{
			"a neighbour disturbed one side", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Bracket: &Bracket{Low: 8}, Undecided: []float64{9}, Why: "limited by neighbour"}, nil,
			"The highest number of clients that keeps p99 <= 5ms is undecided. Tried again, 8 keeps it. Undecided: 9 (limited by neighbour).",
		},
		{"unsure", Search{Of: "clients", Bound: "p99 <= 5ms", Max: 512, Bracket: &Bracket{}}, nil, "Not even 1 client keeps p99 <= 5ms."},
		{"no rate", Search{Of: "rate", Bound: "p99\n<= 5ms", Max: 1e6, Found: 0}, nil, "Not even the lowest rate that was tried keeps p99 <= 5ms."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := madeUp(tt.change)
			r.Search = &tt.search
			require.True(t, strings.HasPrefix(r.Markdown(), tt.want+"\n\n| "), "the answer comes first")
		})
	}
}

// A search tries numbers again in the order in which it needs them.
func TestMediansOfASearchAreSorted(t *testing.T) {
	r := madeUp(func(r *Report) {
		r.Steps = nil
		for _, clients := range []int{1, 8, 4, 8, 4, 1} {
			r.Steps = append(r.Steps, Step{Clients: clients, Op: "get", Operations: 1, OpsPerSecond: 1, Complete: true})
		}
		r.Search = &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 8, Found: 4}
	})
	_, medians, _ := strings.Cut(r.Markdown(), "Medians of 2 repeats")
	require.Regexp(t, `(?s)\n\| +1 \|.*\n\| +4 \|.*\n\| +8 \|`, medians)
}

func TestUndecidedSearchNote(t *testing.T) {
	r := &Report{
		Search: &Search{Of: "clients", Bound: "p99 <= 5ms", Max: 64, Found: 18, Bracket: &Bracket{Low: 18}, Undecided: []float64{19, 20}},
		Steps:  []Step{{Clients: 18}, {Clients: 19}, {Clients: 20}},
	}
	require.Contains(t, r.SearchNote(), " Tried again, 18 keeps it. Undecided: 19, 20, so near to the bound that noise is more;")
	r.Search.Why = "limited by neighbour"
	require.Contains(t, r.SearchNote(), " Undecided: 19, 20 (limited by neighbour).")
	r.Search.Found, r.Search.Bracket = 0, &Bracket{}
	require.Contains(t, r.SearchNote(), "Nothing that was tried is shown to keep p99 <= 5ms.")
}

func TestGateNotes(t *testing.T) {
	r := &Report{Gates: []Verdict{
		{Gate: "p99 <= 5ms", Held: true, Detail: "4ms", Outcome: "held"},
		{Gate: "p50 <= 5ms", Detail: "the step\nis missing", Outcome: "crossed"},
		{Gate: "mean <= 5ms", Held: true, Outcome: "held"},
		{Gate: "p95 <= 5ms", Outcome: "crossed"},
		{Gate: "ops/s >= 90 %", Detail: "95 %", Outcome: stats.Undecided, Visible: 0.123, Needed: "more runs"},
		{Gate: "p99 <= 130 %", Held: true, Outcome: stats.Undecided, Needed: "more runs"},
		{Gate: "p99 <= 140 %", Held: true, Detail: "99 %", Outcome: stats.Held, Visible: 0.0123},
	}}
	require.Equal(t, []string{
		"CROSSED: p50 <= 5ms (the step is missing)", "CROSSED: p95 <= 5ms",
		"UNDECIDED: ops/s >= 90 % (95 %; could see 12 %; more runs)", "undecided: p99 <= 130 % (more runs)",
		"held: p99 <= 140 % (99 %; could see 1.2 %)", "The other 2 gates held.",
	}, r.gateNotes())
}

func TestThresholdsAreNoGates(t *testing.T) {
	threshold := Verdict{Gate: "sweep_failed count==0", Held: true, Threshold: true, Outcome: stats.Held}
	gate := Verdict{Gate: "p99 <= 5ms", Held: true, Outcome: stats.Held}
	names := map[string]string{"1 threshold held": ": sweep_failed"}
	for want, gates := range map[string][]Verdict{
		"1 threshold held": {threshold}, "2 gates and thresholds held": {threshold, gate}, "1 gate held": {gate},
	} {
		require.Equal(t, []string{want + names[want] + "."}, (&Report{Gates: gates}).gateNotes())
		text, _ := GatesText(gates)
		require.Equal(t, want, text)
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"8.5.2", "8.5.2"},
		{"a|b", `a\|b`},
		{`a\|b`, `a\\\|b`},
		{"a\r\nb\tc", "a b c"},
		{"\x1b[2Jé\x7f", `\[2Jé`},
		{"<img src=x onerror=alert(1)>", `\<img src=x onerror=alert(1)>`},
		{"</table><!-- <?", `\</table>\<!-- \<?`},
		{"p99 <= 5ms, 1 < 2, <3", "p99 <= 5ms, 1 < 2, <3"},
		{"&lt;b&#62; a & b", `\&lt;b\&#62; a & b`},
		{"[click](javascript:alert(1))", `\[click\](javascript:alert(1))`},
		{"**bold** ~~gone~~ `code`", "\\*\\*bold\\*\\* \\~~gone\\~~ \\`code\\`"},
		{"sweep_p99 of _x_ é_é", `sweep_p99 of \_x\_ é_é`},
	} {
		require.Equal(t, tt.want, Escape(tt.in))
	}
}

func TestCodeSpan(t *testing.T) {
	for in, want := range map[string]string{
		"connection refused": "`connection refused`",
		"a`b":                "``a`b``",
		"``":                 "``` `` ```",
		"":                   "`  `",
		"a\n# b":             "`a # b`",
	} {
		require.Equal(t, want, codeSpan(in))
	}
}

func TestNotesAreNoMarkup(t *testing.T) {
	const evil = "<img src=x onerror=alert(1)> [here](http://evil.test) @all"
	r := madeUp(func(r *Report) {
		r.Target["version"] = evil
		r.Steps = []Step{step(1, 1, "<b>get"), step(1, 1, "set", func(s *Step) {
			s.Failed, s.Extra.Errors = 1, map[string]uint64{evil: 1}
		})}
		r.Search = &Search{Of: "clients", Bound: evil, Max: 1}
		r.Gates = []Verdict{{Gate: evil, Detail: evil, Outcome: "crossed"}}
	})
	text := r.Markdown()
	require.Contains(t, text, "1 client, set: 1 x `"+evil+"`")
	text = strings.ReplaceAll(text, "`"+evil+"`", "")
	require.NotRegexp(t, `(^|[^\\])<[a-z]`, text)
	require.NotRegexp(t, `(^|[^\\])\[`, text)
}

package report

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// One verdict of each kind; the last one is undecided and passes.
var (
	aHeld      = Verdict{Gate: "g <= 1", Held: true, Detail: "0.9", Outcome: stats.Held, Visible: 0.02}
	aCrossed   = Verdict{Gate: "g <= 2", Detail: "2.1", Outcome: stats.Crossed, Visible: 0.03}
	anOpen     = Verdict{Gate: "g <= 3", Detail: "2.9", Outcome: stats.Undecided, Visible: 0.4, Needed: "7 runs"}
	aTolerated = Verdict{Gate: "g <= 4", Held: true, Detail: "3.9", Outcome: stats.Undecided, Needed: "8 runs"}
)

func TestGatesText(t *testing.T) {
	for _, tt := range []struct {
		gates   []Verdict
		want    string
		outcome stats.Outcome
	}{
		{[]Verdict{aHeld}, "1 gate held", stats.Held},
		{[]Verdict{{Held: true, Outcome: "held"}, {Held: true, Outcome: "held"}}, "2 gates held", stats.Held},
		{[]Verdict{aHeld, aCrossed}, "1 of 2 gates crossed", stats.Crossed},
		{[]Verdict{aHeld, {Outcome: "crossed"}}, "1 of 2 gates crossed", stats.Crossed},
		{[]Verdict{aHeld, anOpen}, "1 of 2 gates undecided", stats.Undecided},
		{[]Verdict{aCrossed, anOpen, aHeld}, "1 of 3 gates crossed, 1 undecided", stats.Crossed},
		{[]Verdict{aTolerated, aHeld}, "1 of 2 gates undecided, which passes", stats.Held},
		{[]Verdict{aTolerated, anOpen}, "2 of 2 gates undecided", stats.Undecided},
		{[]Verdict{aTolerated, aCrossed}, "1 of 2 gates crossed, 1 undecided, which passes", stats.Crossed},
	} {
		text, outcome := GatesText(tt.gates)
		require.Equal(t, tt.want, text)
		require.Equal(t, tt.outcome, outcome, tt.want)
	}
}

func TestVerdictInALine(t *testing.T) {
	for want, v := range map[string]Verdict{
		"held       g <= 1: 0.9; could see 2.0 %":        aHeld,
		"CROSSED    g <= 2: 2.1; could see 3.0 %":        aCrossed,
		"UNDECIDED  g <= 3: 2.9; could see 40 %; 7 runs": anOpen,
		"undecided  g <= 4: 3.9; 8 runs":                 aTolerated,
		"CROSSED    of two lines: no step":               {Gate: "of two lines", Detail: "no\nstep", Outcome: "crossed"},
		"UNDECIDED  a sentence: none idle; 7 runs":       {Gate: "a sentence", Detail: "none idle.", Outcome: "undecided", Needed: "7 runs"},
	} {
		require.Equal(t, want, v.Line())
	}
}

func TestOneExplanationOfSeveralGates(t *testing.T) {
	text := madeUp(func(r *Report) {
		r.Gates = []Verdict{{Gate: "p50", Detail: "incomplete", Outcome: "crossed"}, aCrossed, {Gate: "p99", Detail: "incomplete", Outcome: "crossed"}}
	}).Markdown()
	require.Contains(t, text, "\n\nCROSSED: p50; p99 (incomplete)\n\nCROSSED: g <= 2 (2.1; could see 3.0 %)\n")
}

func TestColoursOfATerminal(t *testing.T) {
	text := madeUp(func(r *Report) {
		r.Gates = []Verdict{aHeld, aCrossed, anOpen, aTolerated, {Gate: "g", Outcome: "held", Held: true}}
	}).Markdown()
	coloured := Coloured(text)
	for _, want := range []string{
		"\n\x1b[32mheld\x1b[0m: g", "\n\x1b[31mCROSSED\x1b[0m: g", "\n\x1b[33mUNDECIDED\x1b[0m: g", "\n\x1b[33mundecided\x1b[0m: g",
		"\n\x1b[32mThe other 1 gate held\x1b[0m.\n",
	} {
		require.Contains(t, coloured, want)
	}
	require.Equal(t, text, regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured, ""))
}

func TestGatesInJUnit(t *testing.T) {
	raw, err := madeUp(func(r *Report) { r.Gates = []Verdict{aHeld, aCrossed, anOpen, aTolerated} }).JUnit()
	require.NoError(t, err)
	for _, want := range []string{
		`name="g &lt;= 1" time="0.000">` + "\n      <system-out>0.9; could see 2.0 %</system-out>",
		`<failure message="2.1; could see 3.0 %" type="crossed">`,
		`<error message="2.9; could see 40 %; 7 runs" type="undecided">`,
		`<skipped message="3.9; 8 runs"></skipped>`,
		`failures="1" errors="1" skipped="1"`,
	} {
		require.Contains(t, string(raw), want)
	}
}

func TestGatesOnGitHub(t *testing.T) {
	text := madeUp(func(r *Report) { r.Gates = []Verdict{aHeld, anOpen, aCrossed, aTolerated} }).GitHub()
	require.Contains(t, text, "### :x: stock-rollup: 1 of 4 gates crossed, 2 undecided\n\n"+
		"- **crossed** `g <= 2`: 2.1; could see 3.0 %\n- **undecided** `g <= 3`: 2.9; could see 40 %; 7 runs\n"+
		"- undecided `g <= 4`: 3.9; 8 runs\n- held `g <= 1`: 0.9; could see 2.0 %\n\n")
	for mark, gates := range map[string][]Verdict{
		":x:": {anOpen}, ":information_source:": {aTolerated, aHeld}, ":white_check_mark:": {aHeld},
	} {
		require.Contains(t, madeUp(func(r *Report) { r.Gates = gates }).GitHub(), "### "+mark+" ")
	}
}

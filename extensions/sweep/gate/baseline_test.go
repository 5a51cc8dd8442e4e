package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestBaseline(t *testing.T) {
	r := steady(1)
	r.Gates = []report.Verdict{{Gate: "p99", Held: true}}
	kept, err := Baseline(r)
	require.NoError(t, err)
	require.Nil(t, kept.Gates)
	require.Len(t, r.Gates, 1, "the run is left as it was")
	kept.Gates = r.Gates
	require.Equal(t, r, kept)
}

// flawed are runs that nothing can be compared with.
var flawed = map[string]func(*report.Report){
	"the run was interrupted":                                     func(r *report.Report) { r.Interrupted = true },
	"the run has no steps":                                        func(r *report.Report) { r.Steps = nil },
	"it is the part 0:1/2 of a run: merge the parts first":        func(r *report.Report) { r.Params["segment"] = "0:1/2" },
	"the step of 8 clients is missing":                            func(r *report.Report) { r.Steps = r.Steps[:8] },
	"get with 1 client (repeat 2): incomplete":                    func(r *report.Report) { r.Steps[2].Complete = false },
	"set with 8 clients (repeat 4): 2 of 1,002 operations failed": func(r *report.Report) { r.Steps[15].Failed = 2 },
	"set with 8 clients (repeat 4): no operation succeeded":       func(r *report.Report) { r.Steps[15].Operations = 0 },
}

func TestNoBaseline(t *testing.T) {
	for problem, change := range flawed {
		_, err := Baseline(changed(steady(1), change))
		require.EqualError(t, err, "cache is no baseline: "+problem)
	}
	_, err := Baseline(run(1))
	require.EqualError(t, err, "cache is no baseline: get with 1 client was run with 1 repeat, it needs at least 4")
	_, err = Baseline(changed(steady(1), func(r *report.Report) { r.Steps = r.Steps[:15] }))
	require.EqualError(t, err, "cache is no baseline: set with 8 clients was run with 3 repeats, it needs at least 4")
}

func TestSetBaseline(t *testing.T) {
	f := parsed(t, againstBaseline)
	for problem, change := range flawed {
		require.EqualError(t, f.SetBaseline(changed(steady(1), change)), "baseline b.json cannot be compared with: "+problem)
	}
	require.EqualError(t, f.SetBaseline(changed(steady(1), func(r *report.Report) { r.Scenario = "queue" })),
		`baseline b.json is of scenario "queue": it must be of "cache"`)
	require.Equal(t, []string{"baseline fits", "every step complete and no operation failed"}, f.Plan(), "none of them was taken")
	require.NoError(t, f.SetBaseline(steady(1)))

	none := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`)
	require.EqualError(t, none.SetBaseline(steady(1)), "there are no relative gates, which a baseline would be for")
}

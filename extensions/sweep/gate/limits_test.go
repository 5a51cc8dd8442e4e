package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// still makes one repeat of each step pause.
func still(part float64, word witness.Word) *report.Report {
	return changed(run(1, 1, 1), func(r *report.Report) {
		for i := range r.Steps {
			s := &r.Steps[i]
			s.Standstill = &report.Standstill{}
			if s.Repeat == 2 {
				s.Standstill = &report.Standstill{LongestMs: 700, Part: part}
				s.Witness = &report.Witness{LimitedBy: word, Why: "Because."}
			}
		}
	})
}

// A latency gate is not held if the step had a long pause, which percentiles do not show.
func TestGatesOfAStepThatStoodStill(t *testing.T) {
	f := parsed(t, `{ "scenario": "cache", "absolute": [{ "op": "get", "clients": 8, "opsPerSecond": 10, "p99": "1s", "mean": "1s" }] }`)
	outcomes := func(r *report.Report) (all []stats.Outcome) {
		for _, v := range f.Judge(r)[:3] {
			all = append(all, v.Outcome)
		}

		return all
	}
	held, crossed, undecided := stats.Held, stats.Crossed, stats.Undecided
	require.Equal(t, []stats.Outcome{held, held, held}, outcomes(still(0.1, witness.Server)))
	require.Equal(t, []stats.Outcome{held, crossed, crossed}, outcomes(still(0.2, witness.Server)))
	require.Equal(t, []stats.Outcome{held, crossed, crossed}, outcomes(still(0.2, witness.Neighbour)))
	require.Equal(t, []stats.Outcome{held, undecided, undecided}, outcomes(still(0.2, witness.K6Itself)))
	throttled := changed(still(0.2, witness.Neighbour), func(r *report.Report) {
		for i := range r.Steps {
			if w := r.Steps[i].Witness; w != nil {
				w.Evidence = witness.Evidence{witness.LongestStill: 0.7, witness.LateMaxMs: 650}
			}
		}
	})
	require.Equal(t, []stats.Outcome{held, undecided, undecided}, outcomes(throttled), "its quota stopped k6")
	require.Equal(t, "8.000ms with 8 clients (median of 3 repeats), "+
		"but it stood still for 20 % of the time: no operation ended for up to 0.700s", f.Judge(still(0.2, witness.Server))[1].Detail)

	late := changed(run(1), func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].OpenLoop = &report.OpenLoop{LateByK6: 0.02}
		}
	})
	require.Equal(t, []stats.Outcome{held, undecided, undecided}, outcomes(late))
	require.Contains(t, f.Judge(late)[1].Detail, "but k6 itself started 2 % of the operations late")
	slow := changed(late, func(r *report.Report) {
		for i := range r.Steps {
			r.Steps[i].Latency.P99 *= 1000
			r.Steps[i].Latency.Mean *= 1000
		}
	})
	require.Equal(t, []stats.Outcome{held, undecided, undecided}, outcomes(slow), "also where the bound is broken")

	f = parsed(t, `{ "scenario": "cache", "relative": { "baseline": "b.json", "opsPerSecond": "-30%", "p99": "+30%" } }`)
	f.baseline = recorded(t, 1, 1.01, 0.99, 1, 1.01)
	crossings := func(r *report.Report) (n int) {
		for _, v := range f.Judge(r) {
			if v.Outcome == stats.Crossed {
				n++
				require.Contains(t, v.Detail, "stood still")
			}
		}

		return n
	}
	require.Zero(t, crossings(still(0.1, witness.Server)))
	require.Equal(t, 4, crossings(still(0.2, witness.Server)), "p99 of two operations in two steps")
	require.Zero(t, crossings(slow), "nothing is known of the server")
}

func TestGateOfAStandstill(t *testing.T) {
	gate := func(bound string) *File {
		return parsed(t, `{ "scenario": "cache", "absolute": [{ "op": "get", "standstill": "`+bound+`" }] }`)
	}
	v := gate("700ms").Judge(still(0.01, witness.Clients))[0]
	require.Equal(t, "standstill of get in every step <= 700ms", v.Gate)
	require.True(t, v.Held, v.Detail)
	v = gate("699ms").Judge(still(0.01, witness.Clients))[0]
	require.Equal(t, stats.Crossed, v.Outcome)
	require.Contains(t, v.Detail, "700ms with 1 client")
	require.Equal(t, stats.Undecided, gate("1s").Judge(run(1))[0].Outcome, "nobody knows")

	_, err := Parse([]byte(`{ "scenario": "cache", "relative": { "standstill": "+10%" } }`))
	require.ErrorContains(t, err, "standstill")
}

package gate

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestStepsThatWereAskedFor(t *testing.T) {
	const all = "16 of 16"
	f := parsed(t, `{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`)
	for _, tt := range []struct {
		detail string
		change func(*report.Report)
	}{
		{all, func(*report.Report) {}},
		{"the step of 8 clients is missing", func(r *report.Report) { r.Steps = r.Steps[:8] }},
		{"the step of 1 client is missing", func(r *report.Report) { r.Steps = r.Steps[8:] }},
		{"the step of 4 clients is missing; the step of 9 clients is missing", func(r *report.Report) {
			r.Params["clients"] = []any{1.0, 4.0, 8.0, 4.0, 9.0}
		}},
		{"repeat 4 of 8 clients is missing", func(r *report.Report) { r.Steps = r.Steps[:14] }},
		{"repeat 2 of 1 client is missing", func(r *report.Report) { r.Steps = append(r.Steps[:2:2], r.Steps[4:]...) }},
		{"repeat 2 of 8 clients and 2 more are missing", func(r *report.Report) { r.Steps = r.Steps[:10] }},
		{"repeat 5 of 1 client and 999999995 more are missing; repeat 5 of 8 clients and 999999995 more are missing", func(r *report.Report) {
			r.Params["repeats"] = 1e9
		}},
		{"repeat 1 of 1 client is missing; get with 8 clients (repeat 1): incomplete", func(r *report.Report) {
			r.Steps = r.Steps[2:]
			r.Steps[6].Complete = false
		}},

		{all, func(r *report.Report) { r.Steps[2].Op = "rare" }}, // not in every repeat
		{all, func(r *report.Report) { delete(r.Params, "repeats") }},
		{all, func(r *report.Report) { r.Params["repeats"] = "often" }},
		{all, func(r *report.Report) { r.Params["clients"] = 12 }},
		{all, func(r *report.Report) { r.Params["clients"] = []string{"mine"} }},
		{all, func(r *report.Report) { r.Params["clients"] = func() {} }},
		{all, func(r *report.Report) { delete(r.Params, "clients") }},
		{all, func(r *report.Report) {
			r.Params["clients"], r.Params["find"] = []any{99.0}, "most clients with p99 <= 5ms"
		}},
	} {
		v := f.Judge(changed(steady(1), tt.change))[1]
		require.Equal(t, "every step complete and no operation failed", v.Gate)
		require.Equal(t, tt.detail, v.Detail)
		require.Equal(t, tt.detail == all, v.Held)
	}
}

func TestRatesThatWereAskedFor(t *testing.T) {
	open := func(rates ...float64) *report.Report {
		return changed(run(1, 1), func(r *report.Report) {
			delete(r.Params, "clients")
			r.Params["rate"] = rates
			for i := range r.Steps {
				r.Steps[i].Clients, r.Steps[i].Rate = 20, 2.5*float64(r.Steps[i].Clients)
			}
		})
	}
	require.Empty(t, flaw(open(2.5, 20)))
	require.Equal(t, "the step at 12.5 a second is missing", flaw(open(2.5, 12.5, 20)))
	require.Equal(t, "repeat 2 at 20 a second is missing",
		flaw(changed(open(2.5, 20), func(r *report.Report) { r.Steps = r.Steps[:6] })))
}

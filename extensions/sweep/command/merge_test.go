package command

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func TestMerge(t *testing.T) {
	k := newK6(t)
	k.writeReport("a.json", part(t, "0:1/2"))
	k.writeReport("b.json", part(t, "1/2:1"))

	out, message, code := k.run("merge", "b.json", "a.json")
	require.Empty(t, message)
	require.Zero(t, code)
	merged, err := report.Read([]byte(out))
	require.NoError(t, err)
	whole := sweep(t, nil, 1)
	require.Equal(t, whole.Steps[1].Histogram, merged.Steps[1].Histogram)
	require.Equal(t, whole.Steps[1].Latency, merged.Steps[1].Latency)
	require.Equal(t, whole.Steps[1].Client, merged.Steps[1].Client)
	require.NotContains(t, merged.Params, "segment")

	printed, message, code := k.run("merge", "b.json", "a.json", "-o", "results/whole.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, "results/whole.json: 2 parts of cache, 2 steps\n", printed)
	require.Equal(t, out, k.file("results/whole.json"))

	require.Empty(t, k.errOut.String())

	k.writeReport("other.json", part(t, "1/2:3/4"))
	out, message, code = k.run("merge", "a.json", "other.json")
	require.Empty(t, out)
	require.Equal(t, "a.json, other.json: the parts are not the whole run: segment 3/4:1 is missing", message)
	require.Equal(t, 104, code)
}

func TestMergeOfPartsThatWereApart(t *testing.T) {
	k := newK6(t)
	late := func(by time.Duration) *report.Report {
		r := part(t, "1/2:1")
		for i := range r.Steps {
			r.Steps[i].Started = r.Started.Add(by)
		}

		return r
	}
	k.writeReport("a.json", part(t, "0:1/2"))
	k.writeReport("b.json", late(300*time.Millisecond))
	k.writeReport("c.json", late(23*time.Second))

	_, message, code := k.run("merge", "a.json", "b.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, "k6 x sweep merge: the step of 8 clients, repeat 1 is not complete: "+
		"its parts were at work together for 70 % of the time, and at least 95 % is needed\n", k.errOut.String())

	out, message, code := k.run("merge", "a.json", "c.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Contains(t, k.errOut.String(), "for 0 % of the time")
	merged, err := report.Read([]byte(out))
	require.NoError(t, err)
	require.False(t, merged.Steps[1].Complete)
	require.InDelta(t, merged.Steps[1].Operations, merged.Steps[1].OpsPerSecond*merged.Steps[1].Seconds, 1e-6)
}

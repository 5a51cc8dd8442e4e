package command

import (
	"testing"

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

	k.writeReport("other.json", part(t, "1/2:3/4"))
	out, message, code = k.run("merge", "a.json", "other.json")
	require.Empty(t, out)
	require.Equal(t, "a.json, other.json: the parts are not the whole run: segment 3/4:1 is missing", message)
	require.Equal(t, 104, code)
}

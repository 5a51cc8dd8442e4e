package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidate(t *testing.T) {
	k := newK6(t)
	k.writeReport("run.json", steady(t, 1))
	_, message, code := k.run("record", "run.json")
	require.Zero(t, code, message)
	k.write("thresholds/cache.json", bothKinds)
	k.write("thresholds/none.json", `{"scenario": "cache", "relative": {"baseline": "none.json", "p99": "a lot"}}`)
	k.write("thresholds/lost.json", `{"scenario": "cache", "relative": {"baseline": "b.json", "p99": "+100%"}}`)
	k.write("other.json", `{"name": "xk6"}`)
	k.write("list.json", `[]`)
	k.write("text.json", `p99`)
	k.write("report.json", `{"schema": "xk6-sweep/1"}`)

	out, message, code := k.run("validate", "run.json", "thresholds/cache.json", "thresholds/baselines/cache.json")
	require.Empty(t, message)
	require.Zero(t, code)
	require.Equal(t, "run.json: ok\nthresholds/cache.json: ok\nthresholds/baselines/cache.json: ok\n", out)

	all := []string{
		"validate", "run.json", "thresholds/none.json", "thresholds/lost.json", "other.json", "list.json", "text.json", "report.json", "missing.json",
	}
	out, message, code = k.run(all...)
	require.Equal(t, "7 of 8 files are invalid", message)
	require.Equal(t, 104, code)
	requireGolden(t, "validate.txt", out)

	out, message, code = k.run(append(all, "--json")...)
	require.Equal(t, "7 of 8 files are invalid", message)
	require.Equal(t, 104, code)
	requireGolden(t, "validate.json", out)

	_, message, _ = k.run("validate", "list.json")
	require.Equal(t, "1 file is invalid", message)
	_, message, _ = k.run("validate", "list.json", "run.json")
	require.Equal(t, "1 of 2 files is invalid", message)
}

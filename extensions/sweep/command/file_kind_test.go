package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGateWithItsFilesSwapped(t *testing.T) {
	k := newK6(t)
	k.writeReport("run.json", steady(t, 1))
	k.write("gates.json", `{"scenario": "cache", "absolute": [{"op": "get", "p99": "100ms"}]}`)
	const order = ": k6 x sweep gate takes the run first and then the gates"
	for message, args := range map[string][]string{
		"gates.json: it looks like a file of gates and not like a report" + order: {"gate", "gates.json", "run.json"},
		"run.json: it looks like a report and not like a file of gates" + order:   {"gate", "run.json", "run.json"},
	} {
		out, got, code := k.run(args...)
		require.Empty(t, out)
		require.Equal(t, message, got)
		require.Equal(t, 104, code)
	}
}

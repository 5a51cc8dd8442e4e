package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// alike are pairs of runs that differ by noise of so much, and otherwise as said.
func alike(n int, noise, rate, cpu, bytes float64) (all []pair) {
	for i := range n {
		wander := 1 + noise*float64(i%3-1)
		all = append(all, pair{
			Without: run{Steps: map[int]step{8: {100000, 10e-6}, 1: {20000, 20e-6}}, Bytes: 100e6},
			With: run{
				Steps: map[int]step{8: {100000 * rate * wander, 10e-6 * cpu * wander}, 1: {20000 * wander, 20e-6 * wander}},
				Bytes: 100e6 + bytes*wander,
			},
		})
	}

	return all
}

func TestTable(t *testing.T) {
	for want, pairs := range map[string][]pair{
		`(?s)\| 1 \| 20000/s \| .*? \| held \| .*? \| held \|.*\| 8 \| 100000/s \| -0\.5 %.*? \| held \| \+0\.5 %.*? \| held \|.*6 pairs.*\+2\.0 MB with .*: held\.`: alike(6, 0.0001, 0.995, 1.005, 2e6),
		`\| 8 \| 100000/s \| -5\.0 %.*? \| crossed \| \+5\.0 %.*? \| crossed \|`:                                                                                     alike(6, 0.0001, 0.95, 1.05, 2e6),
		`\| 8 \| 100000/s \| .*? \| undecided \| .*? \| undecided \|`:                                                                                                alike(6, 0.1, 1, 1, 2e6),
		`\+9\.0 MB with .*: crossed\.`: alike(6, 0.0001, 1, 1, 9e6),
	} {
		table, err := tableOf(pairs)
		require.NoError(t, err)
		require.Regexp(t, want, table)
	}
	_, err := tableOf(alike(3, 0, 1, 1, 0))
	require.EqualError(t, err, "there are 3 pairs: it takes 4")
}

func TestTableTakesItsPlace(t *testing.T) {
	folder := t.TempDir()
	page, record := filepath.Join(folder, "README.md"), filepath.Join(folder, "record")
	text := "before\n<!-- slots: scripts/proof/slots.sh -->\nold\n<!-- end of slots -->\nafter\n"
	require.NoError(t, os.WriteFile(page, []byte(text), 0o600))
	require.NoError(t, os.WriteFile(record, []byte("BenchmarkRecord/with-2 \t 100\t 30.5 ns/op\t 0 B/op\nBenchmarkRecord/without-2 \t 100\t 20.1 ns/op\n"), 0o600))
	for range 2 { // again and again
		require.NoError(t, tell(page, alike(4, 0.001, 1, 1, 0), record))
		written, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Regexp(t, `^before\n<!-- slots: \S+ -->\n\| clients (?s:.*)20\.1 ns without and 30\.5 ns with(?s:.*)<!-- end of slots -->\nafter\n$`, string(written))
		require.NotContains(t, string(written), "old")
	}
	require.NoError(t, os.WriteFile(page, []byte("nothing"), 0o600))
	require.ErrorContains(t, tell(page, alike(4, 0.001, 1, 1, 0), ""), "has no place for the table")
}

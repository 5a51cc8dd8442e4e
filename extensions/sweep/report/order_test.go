package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tables are sorted, with the kinds of operations of a step together. The report keeps the run
// order, and another seed does not count as a difference between runs.
func TestTablesOfARandomOrderAreSorted(t *testing.T) {
	ran := func(params map[string]any) *Report {
		var steps []Step
		for _, one := range [][2]int{{64, 1}, {1, 1}, {8, 1}, {8, 2}, {64, 2}, {1, 2}} {
			for _, op := range []string{"get", "set"} {
				steps = append(steps, Step{Clients: one[0], Repeat: one[1], Op: op, Seconds: 1, Complete: true})
			}
		}

		return &Report{Scenario: "cache", Params: params, Steps: steps}
	}
	const sorted, listed = "1 1 8 8 64 64", "64 1 8 8 64 1"
	for want, params := range map[string]map[string]any{sorted: {"order": "random", "orderSeed": 1}, listed: {"clients": []int{64, 1, 8}}} {
		r := ran(params)
		var clients, inCSV []string
		for i, row := range rowsOf(r.Markdown()) {
			if i%2 == 0 { // get and set
				clients = append(clients, strings.TrimSpace(row[2]))
			}
		}
		raw, err := r.CSV()
		require.NoError(t, err)
		for i, line := range bytes.Split(bytes.TrimSpace(raw), []byte("\r\n"))[1:] {
			if i%2 == 0 {
				inCSV = append(inCSV, strings.Split(string(line), ",")[2])
			}
		}
		require.Equal(t, want, strings.Join(clients, " "))
		require.Equal(t, want, strings.Join(inCSV, " "))
		require.Equal(t, 64, r.Steps[0].Clients, "as they ran")
	}
	require.Empty(t, Differences(ran(map[string]any{"order": "random", "orderSeed": 1}),
		ran(map[string]any{"order": "random", "orderSeed": 2, "intervals": true})))
	require.NotEmpty(t, Differences(ran(map[string]any{"order": "random", "orderSeed": 1}), ran(nil)))
}

func rowsOf(text string) (rows [][]string) {
	for _, line := range tables(text)[0][2:] {
		rows = append(rows, strings.Split(line, "|"))
	}

	return rows
}

package page

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// historyExample has 400 commits of 7 steps with 7 figures each. From commit 250 on, ops/s of all
// but one step are lower. From commit 300 on, p99 of 8 clients is better.
var historyExample = sync.OnceValue(func() []history.Record {
	random := rand.New(rand.NewPCG(1, 2))
	records := make([]history.Record, 400)
	for i := range records {
		r := &records[i]
		r.Schema, r.Scenario = history.Schema, "rollup"
		r.Commit = history.Commit{ID: fmt.Sprintf("%040x", i+1), Time: time.Date(2026, 1, 1, i, 0, 0, 0, time.UTC), Subject: fmt.Sprintf("change <%d>", i)}
		r.Setup, r.State = map[string]string{"host.cores": "8", "params.warmup": "2s"}, map[string]string{"k6": "v2.2.0"}
		for _, clients := range []int{1, 8, 16, 32, 64, 128, 512} {
			s := history.Step{Key: report.Key{Op: "rollup", Clients: clients}, Repeats: 4, Figures: map[string]float64{}}
			noise := func(v float64) float64 { return v * math.Exp(0.02*random.NormFloat64()) }
			for j, key := range []string{"p50", "p90", "p95", "p99", "p999", "mean"} {
				s.Figures[key] = noise(float64(clients * (j + 1)))
			}
			s.Figures["ops_per_second"] = noise(1000 * float64(clients))
			if i >= 250 && clients != 64 {
				s.Figures["ops_per_second"] *= 0.93
			}
			if i >= 300 && clients == 8 {
				s.Figures["p99"] *= 0.9
			}
			r.Steps = append(r.Steps, s)
		}
	}

	return records
})

func renderedHistory(t *testing.T, h *history.History) string {
	t.Helper()
	page, err := HistoryHTML(h)
	require.NoError(t, err)

	return string(page)
}

func TestPageOfAHistory(t *testing.T) {
	page := renderedHistory(t, history.New(historyExample(), history.Options{Least: 0.02}))
	require.Less(t, len(page), 1<<20, "of 400 commits")
	all := nodes(t, page)
	require.Len(t, elements(all, "svg"), 49, "all steps and percentiles")
	rows := find(all, func(n *html.Node) bool {
		return n.Data == "tr" && n.Parent.Data == "tbody" && attr(n.Parent.Parent, "id") == "setup-1-changes"
	})
	require.Len(t, rows, 7)
	newest := text(rows[0])
	require.Contains(t, newest, "p99 of rollup, 8 clients")
	require.Contains(t, newest, "change <")
	for _, row := range rows[1:] {
		require.Regexp(t, `ops/s of rollup, \d+ clients?0\.\d{3}x \(`, text(row))
		require.NotContains(t, text(row), "64 clients")
	}
	turns := strings.Count(page, "turn bad-turn") + strings.Count(page, "turn good-turn")
	require.Equal(t, 7, turns)
}

func TestPageOfNoHistory(t *testing.T) {
	page := renderedHistory(t, &history.History{Notes: []string{"line 1 is left out"}})
	require.Contains(t, page, "There are no runs yet.")
	require.Contains(t, page, "line 1 is left out")
	c := history.New(historyExample()[:1], history.Options{})
	require.Contains(t, renderedHistory(t, c), "1 run of 1 commit, 0 changes in 49 series.")
}

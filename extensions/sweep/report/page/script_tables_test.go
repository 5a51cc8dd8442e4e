package page

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Numbers are exact in the attributes.
func TestScriptTables(t *testing.T) {
	r := &report.Report{Scenario: "bench", Tables: []report.Table{
		{
			Title:   "Messages a second",
			Columns: []report.TableColumn{{Name: "work"}, {Name: "messages", Unit: "1/s", Better: "higher"}},
			Rows:    []report.TableRow{{"publish", 1234567.8}, {"request", nil}},
			Notes:   []string{"An operation of publish is a batch."},
		},
		{Title: "Ratios", Columns: []report.TableColumn{{Name: "ratio"}}},
	}}
	all := nodes(t, rendered(t, r))
	tables := find(all, func(n *html.Node) bool { return n.Data == "table" && attr(n, "id") == "table-1" })
	require.Len(t, tables, 1)
	var shown, values []string
	for n := range tables[0].Descendants() {
		switch n.Data {
		case "th", "td":
			shown = append(shown, text(n))
			values = append(values, attr(n, "data-value")+attr(n, "title")+" "+attr(n, "class"))
		}
	}
	require.Equal(t, []string{"work", "messages 1/s", "publish", "1,234,568", "request", "–"}, shown)
	require.Equal(t, []string{" ", "higher is better n", `"publish" `, "1234567.8 n", `"request" `, "null n"}, values)
	require.Len(t, find(elements(all, "caption"), func(n *html.Node) bool { return text(n) == "Messages a second" || text(n) == "Ratios" }), 2)
	require.Len(t, find(elements(all, "p"), func(n *html.Node) bool { return text(n) == "An operation of publish is a batch." }), 1)

	require.NotContains(t, rendered(t, &report.Report{Scenario: "bench"}), "What the script has made of it")
}

func TestCountersOfSteps(t *testing.T) {
	r := &report.Report{Scenario: "bench", Steps: []report.Step{
		{Clients: 1, Repeat: 1, Op: "publish", Extra: report.Extra{Counters: measure.Counters{"messages": 6400}}},
		{Clients: 8, Repeat: 1, Op: "publish"},
	}}
	cells := find(nodes(t, rendered(t, r)), func(n *html.Node) bool { return attr(n, "data-key") == "extra.counters.messages" })
	require.Len(t, cells, 2)
	require.Equal(t, []string{"6,400", "–"}, []string{text(cells[0]), text(cells[1])})
}

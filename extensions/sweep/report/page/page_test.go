package page

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

func rendered(t *testing.T, r *report.Report) string {
	t.Helper()
	page, err := HTML(r)
	require.NoError(t, err)

	return string(page)
}

func nodes(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	require.NoError(t, err)
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			out = append(out, n)
		}
	}

	return out
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}

	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}

	return b.String()
}

func find(all []*html.Node, match func(*html.Node) bool) []*html.Node {
	var out []*html.Node
	for _, n := range all {
		if match(n) {
			out = append(out, n)
		}
	}

	return out
}

func elements(all []*html.Node, name string) []*html.Node {
	return find(all, func(n *html.Node) bool { return n.Data == name })
}

func forExamples(t *testing.T, check func(t *testing.T, r *report.Report, page string)) {
	t.Helper()
	for name, r := range examples() {
		t.Run(name, func(t *testing.T) { check(t, r, pages()[name]) })
	}
}

// forPages checks all pages, also for several runs.
func forPages(t *testing.T, check func(t *testing.T, r *report.Report, page string)) {
	t.Helper()
	forExamples(t, check)
	for name, runs := range besideExamples() {
		t.Run("beside "+name, func(t *testing.T) { check(t, runs[0].Report, renderedBeside(t, runs)) })
	}
	t.Run("history", func(t *testing.T) {
		check(t, &report.Report{}, renderedHistory(t, history.New(historyExample()[:60], history.Options{})))
	})
}

var pages = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for name, r := range examples() {
		page, err := HTML(r)
		if err != nil {
			panic(err)
		}
		out[name] = string(page)
	}

	return out
})

func TestGolden(t *testing.T) {
	got := rendered(t, newMaker().small())
	path := filepath.Join("testdata", "small.html")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestSamePage(t *testing.T) {
	forExamples(t, func(t *testing.T, r *report.Report, page string) {
		t.Helper()
		require.Equal(t, page, rendered(t, r))
	})
}

// The numbers of both tables equal the JSON's, and all steps are in both.
func TestNumbersAreThoseOfTheReport(t *testing.T) {
	forExamples(t, func(t *testing.T, r *report.Report, page string) {
		t.Helper()
		all := nodes(t, page)
		for _, id := range []string{"steps", "details"} {
			rows := find(all, func(n *html.Node) bool {
				return n.Data == "tr" && attr(n, "data-clients") != "" && attr(n.Parent.Parent, "id") == id
			})
			require.Len(t, rows, len(r.Steps))
			for i, row := range rows {
				requireRow(t, &r.Steps[i], row)
			}
		}
	})
}

func requireRow(t *testing.T, s *report.Step, row *html.Node) {
	t.Helper()
	require.Equal(t, fmt.Sprint(s.Clients), attr(row, "data-clients"))
	require.Equal(t, fmt.Sprint(s.Repeat), attr(row, "data-repeat"))
	require.Equal(t, s.Op, attr(row, "data-op"))
	require.Equal(t, exact(s.Rate), attr(row, "data-rate"))

	raw, err := json.Marshal(s)
	require.NoError(t, err)
	cells := 0
	for c := row.FirstChild; c != nil; c = c.NextSibling {
		cells++
		key := attr(c, "data-key")
		if key == "target.version" {
			continue
		}
		want := jsonAt(t, raw, key)
		if key == "op" || key == "witness.limitedBy" && want != "" {
			require.NoError(t, json.Unmarshal([]byte(want), &want))
		}
		require.Equal(t, want, attr(c, "data-value"), key)
	}
	require.GreaterOrEqual(t, cells, 10)
	require.Contains(t, text(row), report.Thousands(int64(s.Clients)))
	if s.Failed > 0 || !s.Complete {
		require.Equal(t, "doubtful", attr(row, "class"))
	}
}

// jsonAt returns a value in the JSON as text; null or zero if it is left out.
func jsonAt(t *testing.T, raw json.RawMessage, key string) string {
	t.Helper()
	for part := range strings.SplitSeq(key, ".") {
		var object map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(raw, &object))
		value, known := object[part]
		if !known {
			return map[string]string{"cpuSeconds.server": "null", "rate": "0", "extra.unstarted": "0"}[key]
		}
		raw = value
	}

	return string(raw)
}

func TestWhatIsShown(t *testing.T) {
	page := rendered(t, newMaker().small())
	all := nodes(t, page)
	shown := map[string]string{}
	for _, n := range all {
		if key := attr(n, "data-key"); key != "" && attr(n.Parent, "data-clients") == "64" {
			shown[key] = text(n)
		}
	}
	require.Equal(t, "64", shown["clients"])
	require.Equal(t, "200", shown["perClient"])
	require.Equal(t, "3", shown["failed"])
	require.Equal(t, "incomplete, failed operations", shown["complete"])
	require.Regexp(t, `^[0-9.]+ms$`, shown["latencyMs.p99"])
	require.Regexp(t, `^[0-9,]+/s$`, shown["opsPerSecond"])

	whole := text(elements(all, "body")[0])
	for _, want := range []string{
		"Incomplete. In 1 of 3 steps", "Failed operations. 5 of 14,293 operations failed", "1 of 2 gates crossed: failed operations == 0.", "✗ crossed", "✓ held",
		"p99 <= 5ms is 8 (of at most 64)", "timeout after 5s", "connection refused", "shape only, scaled", "another machine (an M5; source: somewhere)",
		"21,031/s", "2026-03-01 12:30:00 UTC", "Imaginary 9000", "64.0 GiB", "v2.2.0", "machbase://sys@db:5656", "[1,8,16,32,64,128,512]",
	} {
		require.Contains(t, whole, want)
	}
}

func TestNoteworthyReports(t *testing.T) {
	all := examples()
	for name, want := range map[string][]string{
		"interrupted": {"Interrupted."},
		"allfailed":   {"No operation succeeded.", noLatency, "No client came to an end", "connection refused"},
		"empty":       {"nothing was measured"},
		"bare":        {"A run without a name", "nothing was measured"},
		"rates":       {"Never started.", "asked for is done", "operations of each client"},
		"timed":       {"operations of each client"},
		"plain":       {"time of each client"},
		"ramp":        {"medians of the repeats", "8 of the steps", "12 of the steps", "Repeats are taken together"},
		"many":        {"6 busiest kinds of operations; the table has 3 more"},
		"weird":       {"the histogram cannot be read"},
		"negative":    {"No operation succeeded."},
	} {
		shown := text(elements(nodes(t, rendered(t, all[name])), "body")[0])
		for _, part := range want {
			require.Contains(t, shown, part, name)
		}
	}
}

func TestLatencySaysWhichAxesAreLogarithmic(t *testing.T) {
	require.Contains(t, pages()["plain"], "in milliseconds; both axes are logarithmic.")
	require.Contains(t, pages()["rates"], "in milliseconds; their axis is logarithmic.")
	m := newMaker()
	far := m.madeUp([]report.Step{
		m.step(8, 1, 100, "get", 900, func(s *report.Step) { s.Rate = 10 }), m.step(8, 1, 100, "get", 900, func(s *report.Step) { s.Rate = 1000 }),
	})
	require.Contains(t, rendered(t, far), "in milliseconds; both axes are logarithmic.")
}

func TestPerClientIsSaidOnceAStep(t *testing.T) {
	shown := map[string]string{}
	for _, n := range nodes(t, rendered(t, newMaker().twoKinds())) {
		if attr(n, "data-key") == "perClient" {
			shown[attr(n.Parent, "data-clients")+" "+attr(n.Parent, "data-op")] = text(n)
		}
	}
	require.Equal(t, map[string]string{"1 get": "100", "1 set": "", "8 get": "100", "8 set": ""}, shown)
}

// With a duration, it is the number of the median client.
func TestPerClientOfAStepWithATime(t *testing.T) {
	m := newMaker()
	r := m.madeUp([]report.Step{m.step(8, 1, 100, "get", 900, func(s *report.Step) { s.PerClient, s.Client.Ops.P50 = 0, 1234 })})
	r.Quiet = &report.Quiet{WaitedSeconds: 60}
	page := rendered(t, r)
	shown := find(nodes(t, page), func(n *html.Node) bool { return attr(n, "data-key") == "perClient" })
	require.Len(t, shown, 1)
	require.Equal(t, "~1,234", text(shown[0]))
	require.Contains(t, page, "The target was not quiet when the sweep began")
}

// The headline and the curves have the total of several kinds of operations.
func TestTotalsOfThePage(t *testing.T) {
	r := newMaker().twoKinds()
	for i := range r.Steps {
		r.Steps[i].Seconds = r.Steps[i/2*2].Seconds // kinds of one step take the same time
	}
	page := rendered(t, r)
	require.Contains(t, page, `<span class="name">(total)</span>: at most <strong>`)
	require.Regexp(t, `<text [^>]*>\(total\)</text>|<h4>\(total\)</h4>`, page)
	require.NotContains(t, rendered(t, newMaker().small()), "(total)")
}

// Columns and tables of what no client measured are left out.
func TestWhatIsNotMeasuredIsLeftOut(t *testing.T) {
	m := newMaker()
	show := func(seconds float64, bytes uint64) string {
		return rendered(t, m.madeUp([]report.Step{m.step(8, 1, 100, "get", 900, func(s *report.Step) {
			s.Rows, s.BytesSent, s.BytesReceived = bytes, bytes, bytes
			s.Window = &report.Window{TailSeconds: seconds}
		})}))
	}
	for _, shown := range []string{`data-key="rows"`, `data-key="bytesSent"`, `data-key="bytesReceived"`, "Figures that only some steps have"} {
		require.Contains(t, show(0.2, 5), shown)
		require.NotContains(t, show(0.0000001, 0), shown)
	}

	m = newMaker()
	tail := func(seconds float64) report.Step {
		return m.step(8, 1, 100, "get", 900, func(s *report.Step) { s.Window = &report.Window{TailSeconds: seconds} })
	}
	require.Contains(t, rendered(t, m.madeUp([]report.Step{tail(0), tail(0.2)})), ">0.000s<", "next to a tail that lasted")
}

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const frontPage = "README.md"

//go:embed method.md
var method string

func writePage([]string) error {
	all, err := allRuns()
	if err != nil {
		return err
	}
	text := method
	if len(all) == 0 {
		return errors.New("there is no complete run: `make bench` makes one")
	}
	last := all[len(all)-1]
	var versions []string
	for line := range slices.Chunk(last.Versions, 5) {
		versions = append(versions, strings.Join(line, ", "))
	}
	text += fmt.Sprintf("\n*The last of %s: %s, commit %s, %d rounds of %g s.\n%s.\n%s.*\n\n%s",
		report.Plural(len(all), "complete run"), last.Started.Format(time.DateOnly), last.Commit, last.Rounds, last.Seconds, last.Machine, strings.Join(versions, ",\n"), last.tables()+last.memoryTable())
	if err := os.WriteFile(ownPage, []byte(text), 0o644); err != nil { //nolint:gosec // a public page
		return err
	}

	return putPart(frontPage, "bench", last.front())
}

func (r *run) front() string {
	sentence := func(store, work, other string) string {
		c := r.find(store, work, 64, false)
		if c == nil {
			return ""
		}
		w := named(store, work)
		first := c.Runs[w.programs[0].name]
		fast, _ := ratio(first, c.Runs[other], rate)
		spent, _ := ratio(first, c.Runs[other], cpu)

		return fmt.Sprintf("%.2f times the rate of %s for %.2f of its processor time", fast.Ratio, other, spent.Ratio)
	}

	return fmt.Sprintf("64 clients get values from memcached at %s,\nand query Machbase at %s.\n",
		sentence("memcached", "get", memtier), sentence("machbase", "roll-up", stockgo))
}

func named(store, name string) *work {
	all := works()

	return all[slices.IndexFunc(all, func(w *work) bool { return w.store == store && w.name == name })]
}

var titles = map[string]string{ //nolint:gochecknoglobals // a constant
	"memcached": "memcached: values of 100 bytes", "redis": "Redis: values of 100 bytes", "machbase": "Machbase: the stock roll-up, 60 rows a query",
	"nats": "NATS: values and messages of 100 bytes", "postgres": "PostgreSQL: pgbench's rows", "gateway": "gRPC: ReadBulk of six tags", "nothing": "An operation that does nothing",
}

// causes explain ratios by what the programs do.
var causes = map[string]string{ //nolint:gochecknoglobals // a constant
	"redis": "The calls are those of k6/x/redis, which makes a promise of each.",
	"nats":  "Requests: k6 and Go also answer them, and their CPU has both; nats bench has another process for that.",
}

// full marks a server whose processor was busy for most of the time: it limits the rate.
func full(rounds []figures) string {
	const most = 0.95
	if median(rounds, func(f figures) float64 { return f.Rate * f.Server }) < most*1e6 {
		return ""
	}

	return "*"
}

func (r *run) tables() string {
	var text strings.Builder
	store := ""
	for _, c := range r.Cells {
		if c.Store == store {
			continue
		}
		store = c.Store
		fmt.Fprintf(&text, "## %s\n\n", titles[store])
		if cause := causes[store]; cause != "" {
			text.WriteString(cause + "\n\n")
		}
		text.WriteString(head)
		for _, open := range []bool{false, true} {
			for _, c := range r.Cells {
				if c.Store == store && c.Open == open {
					c.write(&text)
				}
			}
		}
		text.WriteString("\n")
	}

	return text.String()
}

const head = `|work|clients|program|1000 ops/s|CPU µs|server µs|p50 ms|p99 ms|rate ±%|CPU ±%|p99 ±%|
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|
`

// write writes a row for each program. The tables have no blanks, which keeps the page small.
func (c *cell) write(text *strings.Builder) {
	w := named(c.Store, c.Work)
	k6 := c.Runs[w.programs[0].name]
	what := c.Work
	if c.Open {
		what = fmt.Sprintf("%s, %.0f/s", c.Work, c.Rate)
	}
	where := fmt.Sprintf("%s|%d", what, c.Clients)
	for i, p := range w.programs {
		rounds := c.Runs[p.name]
		if len(rounds) == 0 {
			continue
		}
		ratios := [3]string{}
		if i > 0 && c.Clients >= fewest {
			ratios = [3]string{compared(k6, rounds, rate), compared(k6, rounds, cpu), compared(k6, rounds, p99)}
		}
		if c.Open {
			ratios[0] = ""
		}
		row := []string{
			where, p.name, digits(median(rounds, rate) / 1000), digits(median(rounds, cpu)), digits(median(rounds, server)) + full(rounds),
			digits(median(rounds, p50)), digits(median(rounds, p99)),
		}
		fmt.Fprintf(text, "|%s|\n", strings.Join(slices.Concat(row, ratios[:]), "|"))
		where = "|"
	}
}

// compared returns the ratio, and how far its interval reaches, in percent of it.
func compared(k6, other []figures, figure func(figures) float64) string {
	e, known := ratio(k6, other, figure)
	if !known {
		return ""
	}

	return fmt.Sprintf("%.2f ±%.0f", e.Ratio, 100*max(e.High/e.Ratio-1, 1-e.Low/e.Ratio))
}

func digits(v float64) string {
	switch {
	case v == 0:
		return ""
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

func putPart(page, part, text string) error {
	raw, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	replaced, found := replacePart(string(raw), part, text)
	if !found {
		return fmt.Errorf("%s has no part between <!-- %s --> and <!-- /%s -->", page, part, part)
	}

	return os.WriteFile(page, []byte(replaced), 0o644) //nolint:gosec // a public page
}

func replacePart(page, part, text string) (string, bool) {
	begin, end := "<!-- "+part+" -->\n", "<!-- /"+part+" -->\n"
	before, rest, found := strings.Cut(page, begin)
	_, after, closed := strings.Cut(rest, end)

	return before + begin + strings.TrimRight(text, "\n") + "\n" + end + after, found && closed
}

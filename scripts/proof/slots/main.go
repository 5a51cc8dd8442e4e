// Command slots writes the table of scripts/proof/slots.sh: what it costs that a step keeps what it
// did over its time, from a duet whose change keeps none of it, and from benchmarks.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func main() {
	run := flag.String("run", "", "the report of the duet")
	benchmarks := flag.String("benchmarks", "", "what the benchmarks have written")
	write := flag.String("write", "", "the page to write the table into")
	flag.Parse()
	text, err := told(*run, *benchmarks)
	if err == nil {
		err = place(*write, text)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// told is the table, and a line of what the benchmarks have written.
func told(run, benchmarks string) (string, error) {
	raw, err := os.ReadFile(run)
	if err != nil {
		return "", err
	}
	rep, err := report.Read(raw)
	if err != nil {
		return "", fmt.Errorf("%s: %w", run, err)
	}
	table, err := tableOf(rep)
	if err != nil {
		return "", fmt.Errorf("%s: %w", run, err)
	}
	raw, err = os.ReadFile(benchmarks)
	if err != nil {
		return "", err
	}
	line, err := benchmarked(string(raw))
	if err != nil {
		return "", fmt.Errorf("%s: %w", benchmarks, err)
	}

	return table + "\n" + line, nil
}

// marks are those between which a page has the text.
var marks = regexp.MustCompile(`(?s)(<!-- slots: scripts/proof/slots\.sh -->\n).*(<!-- end of slots -->)`)

// place writes the text into a page.
func place(file, text string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !marks.Match(page) {
		return fmt.Errorf("%s has no place for the text: %s", file, marks)
	}

	return os.WriteFile(file, marks.ReplaceAll(page, []byte("${1}"+text+"${2}")), 0o644) //nolint:gosec // a page that all may read
}

const (
	wantedShare = 0.01
	wantedMB    = 4
)

// tableOf has a row for each number of clients.
func tableOf(rep *report.Report) (string, error) {
	if len(rep.Duets) == 0 {
		return "", errors.New("it has no duet")
	}
	table := "| clients | ops/s without | ops/s with | of 95 % | wanted | k6's processor time without | with |\n" +
		"|---:|---:|---:|---|---|---:|---:|\n"
	for i := range rep.Duets {
		d := &rep.Duets[i]
		f := d.Of("opsPerSecond")
		if f == nil {
			return "", fmt.Errorf("%d clients: %s", d.Clients, d.Why)
		}
		cpu, err := processorTime(rep, d)
		if err != nil {
			return "", err
		}
		// The change is without.
		table += fmt.Sprintf("| %d | %.0f | %s | %s to %s | %s | %s | %s |\n", d.Clients, f.Change,
			percent(1/f.Ratio), percent(1/f.High), percent(1/f.Low), outcome(f.Low, f.High, 1/(1-wantedShare)),
			report.Micros(cpu[report.Change]*1e6), report.Micros(cpu[report.Base]*1e6))
	}

	return table, nil
}

// processorTime is that of k6 for an operation of each variant, in seconds.
func processorTime(rep *report.Report, d *report.Duet) (map[string]float64, error) {
	found := map[string]float64{}
	for _, g := range rep.Groups() {
		if g.Clients != d.Clients || g.Op != d.Op {
			continue
		}
		kept := g.Steps[0].OverTime != nil
		if kept != (g.Variant == report.Base) {
			return nil, fmt.Errorf("%d clients: that %s is kept over time is %v", d.Clients, g.Variant, kept)
		}
		found[g.Variant], _ = rep.CPUPerOperation(&g)
	}
	if len(found) != 2 {
		return nil, fmt.Errorf("%d clients: it has not both variants", d.Clients)
	}

	return found, nil
}

func percent(ratio float64) string { return fmt.Sprintf("%+.2f %%", 100*(ratio-1)) }

// outcome judges an interval by the most that is wanted.
func outcome(low, high, most float64) string {
	switch {
	case high <= most:
		return "held"
	case low > most:
		return "crossed"
	}

	return "undecided"
}

// benchmarked says what benchmarks have written.
func benchmarked(output string) (string, error) {
	var missing error
	median := func(name, unit string) float64 {
		lines := regexp.MustCompile(`(?m)^Benchmark` + name + `(?:-\d+)?\s.*?([\d.]+) ` + unit + `\b`)
		found := lines.FindAllStringSubmatch(output, -1)
		all := make([]float64, len(found))
		for i, line := range found {
			var err error
			if all[i], err = strconv.ParseFloat(line[1], 64); err != nil {
				missing = err
			}
		}
		if len(all) == 0 {
			missing = fmt.Errorf("there is no Benchmark%s with %s", name, unit)
		}

		return report.Median(all)
	}
	text := fmt.Sprintf("Recording an operation takes %.1f ns without and %.1f ns with.\n",
		median("Record/without", "ns/op"), median("Record/with", "ns/op")) +
		fmt.Sprintf("The end of a slot takes %.1f µs, and a step of a minute has 938 of them.\n", median("TurnOfASlot", "us/slot"))
	most := median("SlotsOfAStep/16", "MB/step")
	text += fmt.Sprintf("All that a step keeps over its time takes %.2f MB, and %.2f MB (%s) with 16 kinds of operations.\n",
		median("SlotsOfAStep/1", "MB/step"), most, outcome(most, most, wantedMB))

	return text, missing
}

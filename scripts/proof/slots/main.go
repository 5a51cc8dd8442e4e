// Command slots is what scripts/proof/slots.sh measures with: pairs of runs, one by a k6 that keeps
// what a step does over its time and one by a k6 that does not, and the table of them.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

func main() {
	seen := flag.String("seen", "", "the file of the pairs, a line each")
	pairs := flag.Int("pairs", 0, "how many pairs there shall be; what follows the flags is the command of a run without its k6")
	with := flag.String("with", "", "the k6 as it is")
	without := flag.String("without", "", "the k6 that keeps nothing over time")
	record := flag.String("record", "", "what go test -bench BenchmarkRecord has written")
	write := flag.String("write", "", "the page to write the table into")
	flag.Parse()
	known, err := read(*seen)
	if err != nil {
		log.Fatal(err)
	}
	for len(known) < *pairs {
		p, err := measure(*with, *without, flag.Args())
		if err != nil {
			log.Fatal(err)
		}
		if err := appendLine(*seen, p); err != nil {
			log.Fatal(err)
		}
		known = append(known, p)
		fmt.Printf("pair %d of %d\n", len(known), *pairs)
	}
	if *write != "" {
		if err := tell(*write, known, *record); err != nil {
			log.Fatal(err)
		}
	}
}

// pair has what a run came to, by k6 without slots and with them.
type pair struct {
	Without run `json:"without"`
	With    run `json:"with"`
}

// run is what a sweep came to.
type run struct {
	Steps map[int]step `json:"steps"` // by the number of clients
	Bytes float64      `json:"bytes"` // the most that k6 had in memory
}

type step struct {
	OpsPerSecond float64 `json:"opsPerSecond"`
	CPU          float64 `json:"cpu"` // seconds of k6 for an operation
}

func read(file string) ([]pair, error) {
	raw, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var known []pair
	for line := range bytes.Lines(raw) {
		var p pair
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		known = append(known, p)
	}

	return known, nil
}

func appendLine(file string, p pair) error {
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := to.Write(append(line, '\n')); err != nil {
		return err
	}

	return to.Close()
}

// measure does two runs, in an order of chance.
func measure(with, without string, args []string) (p pair, err error) {
	first := func() error {
		p.Without, err = sweep(without, args, false)

		return err
	}
	second := func() error {
		p.With, err = sweep(with, args, true)

		return err
	}
	if rand.IntN(2) == 0 {
		first, second = second, first
	}
	if err := first(); err != nil {
		return p, err
	}

	return p, second()
}

// sweep does one run, whose steps have slots or not.
func sweep(k6 string, args []string, slots bool) (r run, err error) {
	folder, err := os.MkdirTemp("", "slots")
	if err != nil {
		return r, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	cmd := exec.Command(k6, append(slices.Clone(args), "-e", "RESULTS="+folder)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return r, fmt.Errorf("%w: %s", err, out)
	}
	raw, err := os.ReadFile(filepath.Join(folder, "cache-sweep.json"))
	if err != nil {
		return r, err
	}
	rep, err := report.Read(raw)
	if err != nil {
		return r, err
	}
	r.Steps = map[int]step{}
	for _, g := range rep.Groups() {
		if (g.Steps[0].OverTime != nil) != slots {
			return r, fmt.Errorf("%s: that steps are kept over time is %v, where %v belongs", k6, !slots, slots)
		}
		cpu, _ := rep.CPUPerOperation(&g)
		r.Steps[g.Clients] = step{g.Steps[0].OpsPerSecond, cpu}
	}
	if used, is := cmd.ProcessState.SysUsage().(*syscall.Rusage); is {
		r.Bytes = float64(used.Maxrss) * 1024
	}

	return r, nil
}

// marks are those between which a page has the table.
var marks = regexp.MustCompile(`(?s)(<!-- slots: scripts/proof/slots\.sh -->\n).*(<!-- end of slots -->)`)

// tell writes the table into a page.
func tell(file string, known []pair, record string) error {
	table, err := tableOf(known)
	if err != nil {
		return err
	}
	if record != "" {
		line, err := recordLine(record)
		if err != nil {
			return err
		}
		table += "\n" + line
	}
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !marks.Match(page) {
		return fmt.Errorf("%s has no place for the table: %s", file, marks)
	}

	return os.WriteFile(file, marks.ReplaceAll(page, []byte("${1}"+table+"${2}")), 0o644)
}

const (
	wantedShare = 0.01
	wantedBytes = 4e6
	confidence  = 0.95
)

// tableOf has a row for each number of clients, and one for the memory.
func tableOf(known []pair) (string, error) {
	if len(known) < paired.Fewest {
		return "", fmt.Errorf("there are %d pairs: it takes %d", len(known), paired.Fewest)
	}
	table := "| clients | ops/s without | with: ops/s | wanted | with: processor time of k6 | wanted |\n|---:|---:|---:|---|---:|---|\n"
	var clients []int
	for n := range known[0].With.Steps {
		clients = append(clients, n)
	}
	slices.Sort(clients)
	for _, n := range clients {
		rates, times := make([]paired.Pair, len(known)), make([]paired.Pair, len(known))
		var plain []float64
		for i, p := range known {
			rates[i] = paired.Pair{Base: p.Without.Steps[n].OpsPerSecond, Change: p.With.Steps[n].OpsPerSecond}
			times[i] = paired.Pair{Base: p.Without.Steps[n].CPU, Change: p.With.Steps[n].CPU}
			plain = append(plain, rates[i].Base)
		}
		rate, err := paired.Of(rates, confidence)
		if err != nil {
			return "", fmt.Errorf("ops/s of %d clients: %w", n, err)
		}
		time, err := paired.Of(times, confidence)
		if err != nil {
			return "", fmt.Errorf("processor time of %d clients: %w", n, err)
		}
		table += fmt.Sprintf("| %d | %.0f/s | %s | %s | %s | %s |\n", n, report.Median(plain),
			shown(rate), outcome(1/rate.High, 1/rate.Low, 1/(1-wantedShare)), shown(time), outcome(time.Low, time.High, 1+wantedShare))
	}
	sizes := make([]paired.Pair, len(known))
	var plain []float64
	for i, p := range known {
		sizes[i] = paired.Pair{Base: p.Without.Bytes, Change: p.With.Bytes}
		plain = append(plain, p.Without.Bytes)
	}
	size, err := paired.Of(sizes, confidence)
	if err != nil {
		return "", fmt.Errorf("memory: %w", err)
	}
	base := report.Median(plain)
	more := func(ratio float64) float64 { return (ratio - 1) * base }
	table += fmt.Sprintf("\n%d pairs of runs. At its most k6 had %.1f MB without, and %+.1f MB with (%+.1f to %+.1f): %s.\n", len(known),
		base/1e6, more(size.Ratio)/1e6, more(size.Low)/1e6, more(size.High)/1e6, outcome(more(size.Low), more(size.High), wantedBytes))

	return table, nil
}

func shown(e paired.Estimate) string {
	return fmt.Sprintf("%+.1f %% (%+.1f to %+.1f)", 100*(e.Ratio-1), 100*(e.Low-1), 100*(e.High-1))
}

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

// recordLine says what recording an operation takes, from what a benchmark has written.
func recordLine(file string) (string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	taken := map[string][]float64{}
	for _, line := range regexp.MustCompile(`(?m)^BenchmarkRecord/(\w+)\S*\s+\d+\s+([\d.]+) ns/op`).FindAllStringSubmatch(string(raw), -1) {
		ns, err := strconv.ParseFloat(line[2], 64)
		if err != nil {
			return "", err
		}
		taken[line[1]] = append(taken[line[1]], ns)
	}
	with, without := report.Median(taken["with"]), report.Median(taken["without"])
	if with == 0 || without == 0 {
		return "", fmt.Errorf("%s has no BenchmarkRecord/with and /without", file)
	}

	return fmt.Sprintf("Recording an operation takes %.1f ns without and %.1f ns with (medians of %d).\n", without, with, len(taken["with"])), nil
}

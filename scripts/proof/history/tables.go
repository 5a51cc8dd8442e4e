package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

const (
	// histories are how many of each figure have steps planted in them.
	histories = 50
	// least is the smallest change that counts, for both tools.
	least = 0.02
	// bisected are how many commits a bisection is among, and bisections how many of them there
	// are.
	bisected, bisections = 64, 100
	// mostPairs is how many pairs a commit has at most.
	mostPairs = 60
)

// readNoise reads a column for each figure.
func readNoise(file string) (map[string][]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, fmt.Errorf("%s: no noise: %w", file, err)
	}
	noise := map[string][]float64{}
	for _, row := range rows[1:] {
		for i, name := range rows[0][1:] {
			v, err := strconv.ParseFloat(row[i+1], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			noise[name] = append(noise[name], v)
		}
	}

	return noise, nil
}

// found is what a tool has found in all histories of a figure.
type found struct{ hits, planted, alarms, worst int }

func (f *found) add(planted []step, at []int) {
	hits, alarms := score(planted, at)
	f.hits, f.planted, f.alarms, f.worst = f.hits+hits, f.planted+len(planted), f.alarms+alarms, max(f.worst, alarms)
}

func (f *found) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%) | %.2f, at most %d", f.hits, f.planted, 100*float64(f.hits)/float64(f.planted),
		float64(f.alarms)/histories, f.worst)
}

// tables are the figures as Markdown.
func tables(noise map[string][]float64) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "%d runs were recorded; a history is %d commits of them, from a random one on, with %d steps of %g to %g %% up or down,\n"+
		"%d commits apart or more. There are %d histories of each figure, and both tools have the same. "+
		"A step counts as found within %d commits.\n\n",
		len(noise["p50"]), commits, steps, 100*smallestStep, 100*largestStep, apart, histories, near)
	b.WriteString("| figure | noise of a run | found | false alarms a history | found by Otava | its false alarms |\n" +
		"| --- | ---: | ---: | ---: | ---: | ---: |\n")
	const calm = "p50, runs of more than twice the median left out"
	middle := report.Median(noise["p50"])
	noise[calm] = slices.DeleteFunc(slices.Clone(noise["p50"]), func(v float64) bool { return v > 2*middle })
	for n, name := range append(slices.Clone(figureNames), calm) {
		ours, theirs, err := detected(noise[name], uint64(n))
		if err != nil {
			return "", err
		}
		other := "- | -"
		if theirs != nil {
			other = theirs.String()
		}
		fmt.Fprintf(&b, "| %s | %.1f %% | %s | %s |\n", name, 100*spread(noise[name]), ours, other)
	}
	bisection, err := bisectionText(noise["p50"])
	if err != nil {
		return "", err
	}
	b.WriteString("\nThe noise of a run is its deviation from the median of the runs around it (a robust one).\n\n" + bisection)

	return b.String(), nil
}

// detected is what both tools find; theirs is nil without Otava.
func detected(noise []float64, seed uint64) (ours, theirs *found, err error) {
	random := rand.New(rand.NewPCG(1, seed))
	ids := make([]string, commits)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	ours = &found{}
	all, plants := make([][]float64, histories), make([][]step, histories)
	for h := range histories {
		all[h], plants[h] = plant(random, noise, steps)
		var at []int
		for _, c := range history.Detect(all[h], ids, history.Options{Least: least}) {
			at = append(at, c.At)
		}
		ours.add(plants[h], at)
	}
	changes, err := otava(all)
	if err != nil || changes == nil {
		return ours, nil, err
	}
	theirs = &found{}
	for h, at := range changes {
		theirs.add(plants[h], at)
	}

	return ours, theirs, nil
}

// otava are the change points that Apache Otava finds in each series; nil where it is not there.
func otava(all [][]float64) (changes [][]int, err error) {
	python := os.Getenv("OTAVA_PYTHON")
	if python == "" {
		return nil, nil // there is no Otava, and no error
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), python, filepath.Join(folder, "run_otava.py"), strconv.FormatFloat(least, 'f', -1, 64))
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(raw)), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("run_otava.py: %w", err)
	}
	err = json.Unmarshal(out, &changes)
	if err == nil && len(changes) != len(all) {
		err = errors.New("run_otava.py: a series is missing")
	}

	return changes, err
}

// spread is how far runs are from the median of those around them, as a normal deviation.
func spread(noise []float64) float64 {
	const around, normal = 5, 1.4826
	away := make([]float64, len(noise))
	for i, v := range noise {
		away[i] = math.Abs(math.Log(v / report.Median(noise[max(i-around, 0):min(i+around+1, len(noise))])))
	}

	return normal * report.Median(away)
}

// bisectionText tells how often a bisection is right. The builds are emulated: a pair is two runs
// that were recorded one right after the other.
func bisectionText(noise []float64) (string, error) {
	random := rand.New(rand.NewPCG(2, 3))
	right, wrong, gaveUp, pairs := 0, 0, 0, 0
	for range bisections {
		guilty := 1 + random.IntN(bisected-1)
		ratio := 1 + 0.05*float64(1-2*random.IntN(2))
		measure := func(_ context.Context, commit int) (paired.Pair, error) {
			at := random.IntN(len(noise) - 1)
			pair := paired.Pair{Base: noise[at], Change: noise[at+1]}
			if random.IntN(2) == 0 {
				pair = paired.Pair{Base: noise[at+1], Change: noise[at]}
			}
			if commit >= guilty {
				pair.Change *= ratio
			}

			return pair, nil
		}
		found, err := history.Bisect(context.Background(), bisected, measure, history.BisectOptions{Alpha: 0.05, Most: mostPairs})
		if err != nil {
			return "", err
		}
		pairs += found.Pairs
		switch {
		case found.GaveUp != "":
			gaveUp++
		case found.Bad == guilty:
			right++
		default:
			wrong++
		}
	}

	return fmt.Sprintf("`bisect` among %d commits, one of which changes p50 by 5 %%, "+
		"with builds that are emulated by these runs: it names the right one in\n"+
		"%d of %d tries, a wrong one in %d, and gives up in %d; a try takes %d pairs.\n",
		bisected, right, bisections, wrong, gaveUp, pairs/bisections), nil
}

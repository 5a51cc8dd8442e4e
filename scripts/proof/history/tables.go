package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
	// bisected are how many commits a bisection is among, and tries how many bisections there are.
	bisected, tries = 64, 100
	// mostPairs is how many pairs a commit has at most.
	mostPairs = 400
)

// recording is the noise of a machine.
type recording struct {
	// from says where it is from, in a sentence.
	from string
	// columns are the figures of the runs, and the part of others, by their names.
	columns map[string][]float64
}

// readNoise reads a column for each figure.
func readNoise(file string) (*recording, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	rows, err := newReader(bytes.NewReader(raw)).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, fmt.Errorf("%s: no noise: %w", file, err)
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	r := &recording{from: strings.TrimPrefix(first, "# "), columns: map[string][]float64{}}
	for _, row := range rows[1:] {
		for i, name := range rows[0][1:] {
			v, err := strconv.ParseFloat(row[i+1], 64)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			r.columns[name] = append(r.columns[name], v)
		}
	}

	return r, nil
}

// mostOthers is which part of the machine's processors others may use in a run that is not beside a
// neighbour.
const mostOthers = 0.05

// alone are the values of the runs that were not beside a neighbour, nil where that is not known.
func (r *recording) alone(name string) (values []float64) {
	for i, others := range r.columns[othersColumn] {
		if others <= mostOthers {
			values = append(values, r.columns[name][i])
		}
	}

	return values
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

// fewestAlone is how many runs without a neighbour make a history.
const fewestAlone = 50

// tables are the figures as Markdown, a table for each recording.
func tables(recordings []*recording) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "A history is %d commits of recorded runs, from a random one on, with %d steps of %g to %g %% up or down,\n"+
		"%d commits apart or more. There are %d histories of each figure, and both tools have the same. "+
		"A step counts as found within %d commits.\n"+
		"The noise of a run is its deviation from the median of the runs around it (a robust one).\n",
		commits, steps, 100*smallestStep, 100*largestStep, apart, histories, near)
	for _, r := range recordings {
		fmt.Fprintf(&b, "\n%s\n%d runs.\n\n", r.from, len(r.columns["p50"]))
		b.WriteString("| figure | noise of a run | found | false alarms a history | found by Otava | its false alarms |\n" +
			"| --- | ---: | ---: | ---: | ---: | ---: |\n")
		for n, name := range figureNames {
			if r.columns[name] == nil {
				continue
			}
			if err := row(&b, name, r.columns[name], uint64(n)); err != nil {
				return "", err
			}
			alone := r.alone(name)
			if len(alone) < fewestAlone || len(alone) == len(r.columns[name]) {
				continue
			}
			if err := row(&b, name+", runs beside a neighbour left out", alone, uint64(n)); err != nil {
				return "", err
			}
		}
	}
	for _, r := range recordings {
		bisection, err := bisectionText(r)
		if err != nil {
			return "", err
		}
		b.WriteString("\n" + r.from + "\n" + bisection)
	}

	return b.String(), nil
}

// row is what both tools find in a figure.
func row(to io.Writer, name string, noise []float64, seed uint64) error {
	ours, theirs, err := detected(noise, seed)
	if err != nil {
		return err
	}
	other := "- | -"
	if theirs != nil {
		other = theirs.String()
	}
	_, err = fmt.Fprintf(to, "| %s | %.1f %% | %s | %s |\n", name, 100*spread(noise), ours, other)

	return err
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

// bisectionText tells how often bisections are right whose builds are emulated by a recording.
func bisectionText(r *recording) (string, error) {
	noise := r.columns["p50"]
	text, err := bisections(func(random *rand.Rand) paired.Pair {
		at := random.IntN(len(noise) - 1)
		if random.IntN(2) == 0 {
			return paired.Pair{Base: noise[at+1], Change: noise[at]}
		}

		return paired.Pair{Base: noise[at], Change: noise[at+1]}
	})
	if err != nil {
		return "", err
	}
	text = fmt.Sprintf("`bisect` among %d commits, one of which changes p50 by 5 %%, with builds that are emulated by these runs.\n"+
		"By pairs of runs, one right after the other: %s\n", bisected, text)
	if duets := r.columns["duet"]; duets != nil {
		byDuets, err := bisections(func(random *rand.Rand) paired.Pair {
			return paired.Pair{Base: 1, Change: duets[random.IntN(len(duets))]}
		})
		if err != nil {
			return "", err
		}
		text += "By duets: " + byDuets + "\n"
	}

	return text, nil
}

// bisections tells how often they are right with pairs that are drawn, of which none has a change.
func bisections(draw func(*rand.Rand) paired.Pair) (string, error) {
	random := rand.New(rand.NewPCG(2, 3))
	right, wrong, gaveUp, pairs := 0, 0, 0, 0
	for range tries {
		guilty := 1 + random.IntN(bisected-1)
		ratio := 1 + 0.05*float64(1-2*random.IntN(2))
		measure := func(_ context.Context, commit int) (paired.Pair, error) {
			pair := draw(random)
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

	return fmt.Sprintf("the right one in %d of %d tries, a wrong one in %d, given up in %d; %d pairs a try.",
		right, tries, wrong, gaveUp, pairs/tries), nil
}

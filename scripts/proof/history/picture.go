package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/history"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
)

// shownLeast is the smallest change in the picture.
const shownLeast = 0.03

// writePage writes the page of a made-up history: 400 commits of 8 steps, with the recorded noise
// of p50 in all figures, and two planted changes.
func writePage(file string, noise []float64) error {
	random := rand.New(rand.NewPCG(3, 4))
	records := make([]history.Record, commits)
	planted := map[int]float64{commits / 3: 1.06, 2 * commits / 3: 0.95}
	begins, slower := random.Perm(len(noise)), 1.0
	for i := range records {
		r := &records[i]
		if ratio, there := planted[i]; there {
			slower *= ratio
		}
		r.Schema, r.Scenario = history.Schema, "cache-sweep"
		r.Commit = history.Commit{
			ID:      fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()),
			Time:    time.Date(2026, 1, 1, 6*i, 0, 0, 0, time.UTC),
			Subject: fmt.Sprintf("change %d", i),
		}
		r.Setup = map[string]string{"target.kind": "memcached", "host.cores": "2", "params.duration": "10s"}
		r.State = map[string]string{"k6": "v2.2.0"}
		for n, clients := range []int{1, 8, 16, 32, 64, 128, 256, 512} {
			s := history.Step{Op: "get", Clients: clients, Repeats: 5, Figures: map[string]float64{}}
			for j, key := range []string{"ops_per_second", "p50", "p90", "p99", "mean", "cpu_per_operation"} {
				value := noise[(begins[6*n+j]+i)%len(noise)] * slower * float64(clients) * float64(j+1)
				if key == "ops_per_second" {
					value = 1000 * float64(clients*clients) / value
				}
				s.Figures[key] = value
			}
			r.Steps = append(r.Steps, s)
		}
	}
	to, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := page.RenderHistory(to, history.New(records, history.Options{Least: shownLeast})); err != nil {
		return err
	}

	return to.Close()
}

// calm are the values of at most twice the median.
func calm(noise []float64) []float64 {
	middle := report.Median(noise)

	return slices.DeleteFunc(slices.Clone(noise), func(v float64) bool { return v > 2*middle })
}

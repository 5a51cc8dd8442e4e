package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type run struct {
	Started  time.Time          `json:"started"`
	Commit   string             `json:"commit"`
	Machine  string             `json:"machine"`
	Versions []string           `json:"versions"`
	Rounds   int                `json:"rounds"`
	Seconds  float64            `json:"seconds"`
	Cells    []*cell            `json:"cells"`
	Memory   map[string]float64 `json:"memory"`
}

// cell is a work with a number of clients, in a closed loop or at a rate.
type cell struct {
	Store   string `json:"store"`
	Work    string `json:"work"`
	Clients int    `json:"clients"`
	// Rate of an open loop in operations per second; 0 for a closed loop.
	Rate float64              `json:"rate,omitempty"`
	Open bool                 `json:"open,omitempty"`
	Runs map[string][]figures `json:"runs"`
}

func openRun(rounds int, seconds float64, works []*work) (*run, error) {
	versions, err := versionsOf(works)
	if err != nil {
		return nil, err
	}
	now := &run{Started: time.Now().UTC(), Commit: commit(), Machine: machine(), Versions: versions, Rounds: rounds, Seconds: seconds}
	before, err := readRun(unfinished)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return now, nil
	case err != nil:
		return nil, err
	case before.Commit != now.Commit || before.Machine != now.Machine || before.Seconds != seconds || before.Rounds != rounds:
		fmt.Printf("bench: %s is of another commit, machine, -rounds or -seconds: a new run begins\n", unfinished)

		return now, nil
	}

	return before, nil
}

func (r *run) cell(w *work, clients int, open bool) *cell {
	c := r.find(w.store, w.name, clients, open)
	if c == nil {
		c = &cell{Store: w.store, Work: w.name, Clients: clients, Open: open, Runs: map[string][]figures{}}
		r.Cells = append(r.Cells, c)
	}

	return c
}

func (r *run) find(store, work string, clients int, open bool) *cell {
	for _, c := range r.Cells {
		if c.Store == store && c.Work == work && c.Clients == clients && c.Open == open {
			return c
		}
	}

	return nil
}

func (r *run) complete(works []*work) bool {
	for _, w := range works {
		for _, clients := range w.clients {
			for _, open := range []bool{false, true} {
				for _, p := range w.contestants(open, clients) {
					if len(r.cell(w, clients, open).Runs[p.name]) < r.roundsWith(clients) {
						return false
					}
				}
			}
		}
	}

	return true
}

func (r *run) write(file string) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // a public file
		return err
	}

	return os.WriteFile(file, append(raw, '\n'), 0o644) //nolint:gosec // a public file
}

func (r *run) keep() error {
	file := filepath.Join(runs, fmt.Sprintf("%s-%s.json", r.Started.Format("2006-01-02T150405"), r.Commit))
	if err := r.write(file); err != nil {
		return err
	}

	return os.Remove(unfinished)
}

func readRun(file string) (*run, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var r run
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}

	return &r, nil
}

func allRuns() ([]*run, error) {
	files, err := filepath.Glob(filepath.Join(runs, "*.json"))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, strings.Compare)
	all := make([]*run, 0, len(files))
	for _, file := range files {
		r, err := readRun(file)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}

	return all, nil
}

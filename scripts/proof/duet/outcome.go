package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// outcome is what a gate of a trial came to, and what was known of its figure.
type outcome struct {
	Outcome        string
	Ratio, Visible float64
}

// trial is what the gates of ops/s and p99 came to.
type trial struct{ ops, p99 *outcome }

func show(t trial, err error) {
	if err == nil && (t.ops == nil || t.p99 == nil) {
		err = errors.New("there is no gate of ops/s, or none of p99")
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\t%s\t%.5f\t%.5f\t%.5f\t%.5f\n", t.ops.Outcome, t.p99.Outcome, t.ops.Ratio, t.ops.Visible, t.p99.Ratio, t.p99.Visible)
}

// ofGates reads the verdicts of a run's gates. A run that was not whole is no trial.
func ofGates(path, run string) (t trial, err error) {
	var verdicts []report.Verdict
	if err := read(path, &verdicts); err != nil {
		return t, err
	}
	raw, err := os.ReadFile(run)
	if err != nil {
		return t, err
	}
	r, err := report.Read(raw)
	if err != nil {
		return t, err
	}
	of := func(v report.Verdict, figure string) *outcome {
		o := &outcome{Outcome: string(v.Outcome), Visible: v.Visible}
		if len(r.Duets) > 0 {
			if f := r.Duets[0].Of(figure); f != nil {
				o.Ratio = f.Ratio
			}
		}

		return o
	}
	for _, v := range verdicts {
		switch {
		case strings.HasPrefix(v.Gate, "ops/s"):
			t.ops = of(v, "opsPerSecond")
		case strings.HasPrefix(v.Gate, "p99"):
			t.p99 = of(v, "p99")
		case !v.Held:
			return t, fmt.Errorf("%s: %s", v.Gate, v.Detail)
		}
	}

	return t, nil
}

// ofPairs reads what k6 x sweep ab says of its figures.
func ofPairs(path string) (t trial, err error) {
	var result struct {
		Figures []struct {
			Figure, Outcome string
			Ratio, Visible  float64
		}
	}
	if err := read(path, &result); err != nil {
		return t, err
	}
	for _, f := range result.Figures {
		o := &outcome{f.Outcome, f.Ratio, f.Visible}
		switch f.Figure {
		case "opsPerSecond":
			t.ops = o
		case "p99":
			t.p99 = o
		}
	}

	return t, nil
}

func read(path string, into any) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}

	return json.Unmarshal(raw, into)
}

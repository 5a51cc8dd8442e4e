package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// trial is the line of a run: the outcome of its gate of ops/s, then the ratio of ops/s with the
// ends of its interval of 95 %, and those of p99. A run that was not whole is no trial.
func trial(verdicts, run string) (string, error) {
	raw, err := os.ReadFile(verdicts)
	if err != nil {
		return "", err
	}
	var all []report.Verdict
	if err := json.Unmarshal(raw, &all); err != nil {
		return "", err
	}
	if raw, err = os.ReadFile(run); err != nil {
		return "", err
	}
	r, err := report.Read(raw)
	if err != nil {
		return "", err
	}
	line := ""
	for _, v := range all {
		switch {
		case strings.HasPrefix(v.Gate, "ops/s"):
			line = string(v.Outcome)
		case !v.Held:
			return "", fmt.Errorf("%s: %s", v.Gate, v.Detail)
		}
	}
	if line == "" || len(r.Duets) == 0 {
		return "", errors.New("there is no gate of ops/s, or no duet")
	}
	for _, figure := range []string{"opsPerSecond", "p99"} {
		f := r.Duets[0].Of(figure)
		if f == nil {
			return "", fmt.Errorf("the duet has no %s: %s", figure, r.Duets[0].Why)
		}
		line += fmt.Sprintf("\t%.5f\t%.5f\t%.5f", f.Ratio, f.Low, f.High)
	}

	return line, nil
}

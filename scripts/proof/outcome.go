package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// trial returns the line of a run: the verdict of its gate on ops/s, then the ratios of ops/s and
// p99 with the ends of their 95 % intervals. An incomplete run is an error.
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

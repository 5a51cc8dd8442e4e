package executor

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// AllowedFailures is the share of a step's operations that may fail.
type AllowedFailures struct {
	// Share is from 0 (none) to 1 (all).
	Share float64
}

var errAllowedFailures = errors.New("no share")

// UnmarshalJSON reads true, false, a share such as 0.01, or '1%'.
func (a *AllowedFailures) UnmarshalJSON(raw []byte) error {
	switch text := string(raw); text {
	case "null", "false":
		a.Share = 0

		return nil
	case "true":
		a.Share = 1

		return nil
	}
	share, is := readShare(raw)
	if !is || !(share >= 0 && share <= 1) {
		return errAllowedFailures
	}
	a.Share = share

	return nil
}

func readShare(raw []byte) (share float64, is bool) {
	part, text := 1.0, string(raw)
	if json.Unmarshal(raw, &text) == nil {
		percent, is := strings.CutSuffix(text, "%")
		if !is {
			return 0, false
		}
		text, part = strings.TrimSpace(percent), 100
	}
	number, err := strconv.ParseFloat(text, 64)

	return number / part, err == nil
}

// MarshalJSON writes the form that UnmarshalJSON reads, for k6's archives.
func (a AllowedFailures) MarshalJSON() ([]byte, error) {
	if a.Share == 0 || a.Share == 1 {
		return strconv.AppendBool(nil, a.Share == 1), nil
	}

	return json.Marshal(a.Share)
}

// Some reports whether any operation may fail.
func (a AllowedFailures) Some() bool { return a.Share > 0 }

// Words names the option to change.
func (a AllowedFailures) Words() string {
	if a.Some() && a.Share < 1 {
		return "allowFailed permits " + strconv.FormatFloat(100*a.Share, 'g', 10, 64) + " % of a step's"
	}

	return "allowFailed: true permits it"
}

// within reports whether each step, over all kinds of operations, stays within the share.
func (a AllowedFailures) within(steps []report.Step) bool {
	type step struct {
		clients, repeat int
		rate            float64
		variant         string
	}
	tried, failed := map[step]float64{}, map[step]float64{}
	for i := range steps {
		s := &steps[i]
		of := step{s.Clients, s.Repeat, s.Rate, s.Variant}
		failed[of] += float64(s.Failed)
		tried[of] += float64(s.Operations) + float64(s.Failed)
	}
	for of, n := range failed {
		if n > a.Share*tried[of] {
			return false
		}
	}

	return true
}

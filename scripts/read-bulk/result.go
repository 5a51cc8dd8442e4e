package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

type result struct {
	Language          string  `json:"language"`
	DurationMs        float64 `json:"durationMs"` // from the start of the first call to the end of the last
	TotalCalls        int64   `json:"totalCalls"`
	SuccessfulCalls   int64   `json:"successfulCalls"`
	FailedCalls       int64   `json:"failedCalls"`
	TotalReadResults  int64   `json:"totalReadResults"`
	CachedReadResults int64   `json:"cachedReadResults"`
	CallsPerSecond    float64 `json:"callsPerSecond"`
	LatencyMs         latency `json:"latencyMs"` // latencies of all calls, including failed ones
}

type latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Mean float64 `json:"mean"`
}

// lastResult parses the last JSON object of a client's output. It returns an error if there is
// none, or if it does not match the schema.
func lastResult(output string) (result, error) {
	raw := lastObject(output)
	if raw == nil {
		return result{}, errors.New("printed no JSON object")
	}
	r, err := decode(raw)
	if err != nil {
		return result{}, fmt.Errorf("its JSON is wrong: %w", err)
	}

	return r, nil
}

func lastObject(text string) []byte {
	const most = 4 << 10
	var last []byte
	for at := strings.IndexByte(text, '{'); at >= 0; {
		var object json.RawMessage
		err := json.NewDecoder(strings.NewReader(text[at:min(len(text), at+most)])).Decode(&object)
		next := 1
		if err == nil {
			last, next = object, len(object)
		}
		at += next
		more := strings.IndexByte(text[at:], '{')
		if more < 0 {
			break
		}
		at += more
	}

	return last
}

// decode requires an object with exactly the keys of a result.
func decode(raw []byte) (r result, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return result{}, errors.New(clean(strings.TrimPrefix(err.Error(), "json: ")))
	}
	ours, err := json.Marshal(r)
	if err != nil {
		return result{}, err
	}
	var wanted, given map[string]any
	if err := errors.Join(json.Unmarshal(ours, &wanted), json.Unmarshal(raw, &given)); err != nil {
		return result{}, err
	}

	return r, missing("", wanted, given)
}

func missing(path string, wanted, given map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		if given[key] == nil {
			return fmt.Errorf("%s%s is missing", path, key)
		}
		if inner, is := wanted[key].(map[string]any); is {
			within, _ := given[key].(map[string]any) // its type is known to fit
			if err := missing(path+key+".", inner, within); err != nil {
				return err
			}
		}
	}

	return nil
}

// longestLanguage limits the name of a language, in bytes, so that an accepted object stays below
// the 4 KiB of lastObject however JSON escapes it.
const longestLanguage = 64

// most results: far more than possible, and no sum or product of them overflows.
const most = 1 << 40

func (r result) check(bulk int) error {
	l, perSecond := r.LatencyMs, 0.0
	if r.DurationMs > 0 {
		perSecond = float64(r.TotalCalls) / r.DurationMs * 1000
	}
	tags := int64(bulk)
	for _, rule := range []struct {
		broken bool
		format string
		args   []any
	}{
		{clean(r.Language) == "", "language must be a text", nil},
		{
			min(r.TotalCalls, r.SuccessfulCalls, r.FailedCalls, r.TotalReadResults, r.CachedReadResults) < 0 ||
				max(r.TotalCalls, r.TotalReadResults) > most ||
				min(r.DurationMs, r.CallsPerSecond, l.P50, l.P95, l.P99, l.Max, l.Mean) < 0, "a number is negative, or too large", nil,
		},
		{len(r.Language) > longestLanguage, "language has %d bytes, at most %d are a name", []any{len(r.Language), longestLanguage}},
		{
			r.SuccessfulCalls+r.FailedCalls != r.TotalCalls, "successfulCalls %d and failedCalls %d do not make totalCalls %d",
			[]any{r.SuccessfulCalls, r.FailedCalls, r.TotalCalls},
		},
		{
			r.CachedReadResults > r.TotalReadResults, "cachedReadResults %d is more than totalReadResults %d",
			[]any{r.CachedReadResults, r.TotalReadResults},
		},
		{
			r.TotalReadResults < r.SuccessfulCalls*tags || r.TotalReadResults > r.TotalCalls*tags,
			"totalReadResults %d is not what %d calls of %d tags bring", []any{r.TotalReadResults, r.TotalCalls, bulk},
		},
		{
			l.P50 > l.P95 || l.P95 > l.P99 || l.P99 > l.Max, "latencyMs falls: p50 %g, p95 %g, p99 %g, max %g",
			[]any{l.P50, l.P95, l.P99, l.Max},
		},
		{l.Mean > l.Max, "latencyMs.mean %g is more than latencyMs.max %g", []any{l.Mean, l.Max}},
		{
			math.Abs(r.CallsPerSecond-perSecond) > 0.01*perSecond+0.01, "callsPerSecond is %g, but totalCalls in durationMs make %.2f",
			[]any{r.CallsPerSecond, perSecond},
		},
	} {
		if rule.broken {
			return fmt.Errorf("its JSON is wrong: "+rule.format, rule.args...)
		}
	}

	return nil
}

func (r result) doubt(s settings) string {
	// A client may leave out the last unfinished call, and clocks are rounded.
	const enough = 0.95
	measured := time.Duration(r.DurationMs * float64(time.Millisecond))
	switch {
	case r.TotalCalls == 0:
		return "made no call"
	case r.FailedCalls > 0:
		return fmt.Sprintf("%d of %d calls failed", r.FailedCalls, r.TotalCalls)
	case measured.Seconds() < enough*s.duration.Seconds():
		return fmt.Sprintf("measured %.1f s instead of %s", measured.Seconds(), s.duration)
	}

	return ""
}

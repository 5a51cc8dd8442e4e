package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
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

func decode(raw []byte) (result, error) {
	top := fields{}
	top.read(raw, "language", "durationMs", "totalCalls", "successfulCalls", "failedCalls", "totalReadResults", "cachedReadResults",
		"callsPerSecond", "latencyMs")
	r := result{
		Language:          top.text("language"),
		DurationMs:        top.amount("durationMs"),
		TotalCalls:        top.count("totalCalls"),
		SuccessfulCalls:   top.count("successfulCalls"),
		FailedCalls:       top.count("failedCalls"),
		TotalReadResults:  top.count("totalReadResults"),
		CachedReadResults: top.count("cachedReadResults"),
		CallsPerSecond:    top.amount("callsPerSecond"),
	}
	if top.err != nil {
		return result{}, top.err
	}

	below := fields{path: "latencyMs."}
	below.read(top.values["latencyMs"], "p50", "p95", "p99", "max", "mean")
	r.LatencyMs = latency{
		P50: below.amount("p50"), P95: below.amount("p95"), P99: below.amount("p99"),
		Max: below.amount("max"), Mean: below.amount("mean"),
	}

	return r, below.err
}

// longestLanguage limits the name of a language, in bytes, so that an accepted object stays below
// the 4 KiB of lastObject however JSON escapes it.
const longestLanguage = 64

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

// fields are the fields of a JSON object. After the first error all values read are zero.
type fields struct {
	path   string
	values map[string]json.RawMessage
	err    error
}

// read requires an object with exactly these keys, each once.
func (f *fields) read(raw []byte, keys ...string) {
	f.values = map[string]json.RawMessage{}
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		f.fail("%s is no object", strings.TrimSuffix(f.path, "."))
		return
	}
	for d.More() {
		token, err := d.Token()
		key, _ := token.(string)
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		_, twice := f.values[key]
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			f.fail("%w", err)
			return
		case twice:
			f.fail("%s%s is there twice", f.path, clean(key))
		case !slices.Contains(keys, key):
			f.fail("%s%s does not belong there", f.path, clean(key))
		}
		f.values[key] = value
	}
	for _, key := range keys {
		if _, found := f.values[key]; !found {
			f.fail("%s%s is missing", f.path, key)
		}
	}
}

func (f *fields) fail(format string, args ...any) {
	if f.err == nil {
		f.err = fmt.Errorf(format, args...)
	}
}

func (f *fields) wrong(key, must string) {
	f.fail("%s%s is %s: it must be %s", f.path, key, clean(string(f.values[key])), must)
}

func (f *fields) text(key string) string {
	var text string
	if f.err == nil && (json.Unmarshal(f.values[key], &text) != nil || clean(text) == "") {
		f.wrong(key, "a text")
	}

	return text
}

func (f *fields) count(key string) int64 {
	if f.err != nil {
		return 0
	}
	// most is far more calls than possible, and no sum or product of them overflows.
	const most = 1 << 40
	n, err := strconv.ParseInt(string(f.values[key]), 10, 64)
	if err != nil || n < 0 || n > most {
		f.wrong(key, "an integer of at least 0")
	}

	return n
}

func (f *fields) amount(key string) float64 {
	if f.err != nil {
		return 0
	}
	n, err := strconv.ParseFloat(string(f.values[key]), 64)
	if err != nil || n < 0 || math.IsInf(n, 0) || math.IsNaN(n) {
		f.wrong(key, "a number of at least 0")
	}

	return n
}

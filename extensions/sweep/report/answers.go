package report

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// AnswersMs are times of answers in milliseconds, for all kinds of operations. Each is part of a
// latency.
type AnswersMs struct {
	// Answers is the number of answers.
	Answers   int64   `json:"answers"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

func newAnswers(d *measure.Distribution) *AnswersMs {
	if d.Count == 0 {
		return nil
	}

	return &AnswersMs{
		Answers: d.Count, P50: Ms(d.Quantile(0.5)), P99: Ms(d.Quantile(0.99)), Max: Ms(d.Max), Mean: Ms(d.Mean()),
		Histogram: d.Encode(),
	}
}

// addTo adds the times of a part; w may be nil.
func (w *AnswersMs) addTo(whole *measure.Distribution) error {
	if w == nil {
		return nil
	}

	return addDurations(whole, w.Histogram, w.Max, w.Mean)
}

// leastOwnMs is the shortest time that counts as an operation's own, outside of its requests.
const leastOwnMs = 1

// ownTimeNote names the first step whose operations spent more than half of their time outside of
// requests, although k6 had enough CPU, for example in sleep; else "".
func (r *Report) ownTimeNote() string {
	for first := 0; first < len(r.Steps); {
		next := first + 1
		for next < len(r.Steps) && SameStep(&r.Steps[next-1], &r.Steps[next]) {
			next++
		}
		one, operations, all := &r.Steps[first], 0.0, 0.0
		for i := first; i < next; i++ {
			operations += float64(r.Steps[i].Operations)
			all += float64(r.Steps[i].Operations) * r.Steps[i].Latency.Mean
		}
		first = next
		switch one.LimitedBy() { //nolint:exhaustive // where processors were too few, requests wait for them outside of k6's figure
		case witness.K6Itself, witness.Host, witness.Neighbour:
			continue
		}
		if one.Requests == nil || operations == 0 || one.OpenLoop != nil && one.OpenLoop.LongestQueue > 0 {
			continue
		}
		requests := float64(one.Requests.Answers) * one.Requests.Mean
		if own := (all - requests) / operations; requests < all/2 && own >= leastOwnMs {
			return fmt.Sprintf("%s: an operation took %s on average, and its requests %s of that. "+
				"The rest is the script's own, such as sleep(), and counts as latency: what is no work belongs outside of the operation.",
				one.label(), Millis(all/operations), Millis(requests/operations))
		}
	}

	return ""
}

// FailedLatencyMs are the known durations of failed operations in milliseconds. No other figure
// includes them.
type FailedLatencyMs struct {
	P50       float64 `json:"p50"`
	P90       float64 `json:"p90"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

func newFailedLatency(d *measure.Distribution) *FailedLatencyMs {
	if d.Count == 0 {
		return nil
	}

	return &FailedLatencyMs{
		P50: Ms(d.Quantile(0.5)), P90: Ms(d.Quantile(0.9)), P99: Ms(d.Quantile(0.99)), Max: Ms(d.Max), Mean: Ms(d.Mean()),
		Histogram: d.Encode(),
	}
}

// addTo adds the durations of a part; f may be nil.
func (f *FailedLatencyMs) addTo(whole *measure.Distribution) error {
	if f == nil {
		return nil
	}

	if err := addDurations(whole, f.Histogram, f.Max, f.Mean); err != nil {
		return fmt.Errorf("failedLatencyMs.%w", err)
	}

	return nil
}

func (s *Step) failedNote() string {
	f := s.FailedLatency
	if f == nil {
		return ""
	}

	return fmt.Sprintf("failed operations took p50 %s, p99 %s, max %s", Millis(f.P50), Millis(f.P99), Millis(f.Max))
}

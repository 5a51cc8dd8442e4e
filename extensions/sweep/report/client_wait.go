package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// ClientWaitMs is how long answers were ready in the socket before the client read them, in
// milliseconds. It is part of the latency, but not the server's time. It covers all kinds of
// operations, for clients on event loops, and is measured for a sample of the answers.
type ClientWaitMs struct {
	// Answers is the number of answers measured.
	Answers   int64   `json:"answers"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

// newClientWait returns nil if no wait was measured.
func newClientWait(d *measure.Distribution) (*ClientWaitMs, error) {
	if d.Count == 0 {
		return nil, nil //nolint:nilnil // a step without has none
	}
	histogram, err := d.Encode()
	if err != nil {
		return nil, fmt.Errorf("client wait: %w", err)
	}

	return &ClientWaitMs{
		Answers: d.Count, P50: Ms(d.Quantile(0.5)), P99: Ms(d.Quantile(0.99)), Max: Ms(d.Max), Mean: Ms(d.Mean()),
		Histogram: histogram,
	}, nil
}

func (w *ClientWaitMs) distribution() (measure.Distribution, error) {
	d, err := measure.Decode(w.Histogram)
	if err != nil {
		return d, fmt.Errorf("clientWaitMs.histogram: %w", err)
	}

	return d, nil
}

// addTo adds the waits of a part; w may be nil.
func (w *ClientWaitMs) addTo(whole *measure.Distribution) error {
	if w == nil {
		return nil
	}
	d, err := w.distribution()
	if err != nil {
		return err
	}
	d.SetExact(nanoseconds(w.Max, time.Millisecond), nanoseconds(w.Mean, time.Millisecond))
	whole.Merge(&d)

	return nil
}

func (s *Step) validateClientWait() error {
	w := s.ClientWait
	if w == nil {
		return nil
	}
	percentiles := []keyed{{"clientWaitMs.p50", w.P50}, {"clientWaitMs.p99", w.P99}, {"clientWaitMs.max", w.Max}}
	mean := keyed{"clientWaitMs.mean", w.Mean}
	if err := possible(slices.Concat(percentiles, []keyed{mean})...); err != nil {
		return err
	}
	for _, rising := range [][]keyed{percentiles, {mean, percentiles[2]}} {
		if err := ascending(rising...); err != nil {
			return err
		}
	}
	d, err := w.distribution()
	if err != nil {
		return err
	}
	if d.Count == 0 || d.Count != w.Answers {
		return fmt.Errorf("clientWaitMs.histogram counts %d answers, but clientWaitMs.answers are %d", d.Count, w.Answers)
	}
	if err := agree(&d, float64(time.Millisecond), percentiles, 0.5, 0.99, 1); err != nil {
		return err
	}

	return agreeMean(&d, time.Millisecond, mean, percentiles[2])
}

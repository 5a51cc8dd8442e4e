package report

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// ClientWaitMs is how long answers were ready in the socket before the client read them, in
// milliseconds. It is part of the latency, but not the server's time. It covers all kinds of
// operations, for clients on event loops, and is measured for a sample of the answers.
type ClientWaitMs struct {
	Answers   int64   `json:"answers"`
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Mean      float64 `json:"mean"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

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

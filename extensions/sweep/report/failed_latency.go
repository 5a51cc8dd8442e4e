package report

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

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

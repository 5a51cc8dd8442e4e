package testutil

import "go.k6.io/k6/v2/metrics"

// Samples collects a VU's samples.
type Samples struct {
	emitted chan metrics.SampleContainer
	samples []metrics.Sample
}

// Channel returns the channel for the VU's samples.
func (s *Samples) Channel() chan metrics.SampleContainer {
	s.emitted = make(chan metrics.SampleContainer, 100_000) // more than any test emits

	return s.emitted
}

// Counted sums the samples of a metric with these tags (name, value, name, value).
func (s *Samples) Counted(metric string, tags ...string) float64 {
	sum := 0.0
	for _, sample := range s.Found(metric, tags...) {
		sum += sample.Value
	}

	return sum
}

// Found returns the samples of a metric with these tags (name, value, name, value).
func (s *Samples) Found(metric string, tags ...string) []metrics.Sample {
	s.take()
	var found []metrics.Sample
next:
	for _, sample := range s.samples {
		if sample.Metric.Name != metric {
			continue
		}
		for i := 0; i < len(tags); i += 2 {
			if value, _ := sample.Tags.Get(tags[i]); value != tags[i+1] {
				continue next
			}
		}
		found = append(found, sample)
	}

	return found
}

// Sent returns the samples since the last call of any method.
func (s *Samples) Sent() []metrics.Sample {
	before := len(s.samples)
	s.take()

	return s.samples[before:]
}

func (s *Samples) take() {
	for len(s.emitted) > 0 {
		s.samples = append(s.samples, (<-s.emitted).GetSamples()...)
	}
}

package executor

import (
	"time"

	"go.k6.io/k6/v2/metrics"
)

// rawBatch is the number of samples sent together, which is cheaper than one by one.
const rawBatch = 1000

type rawSamples struct {
	run     *stepRun
	tags    map[string]*metrics.TagSet // tags of each operation
	samples metrics.Samples
}

func newRawSamples(run *stepRun) *rawSamples {
	return &rawSamples{run: run, tags: map[string]*metrics.TagSet{}}
}

func (r *rawSamples) add(op string, took time.Duration) {
	tags := r.tags[op]
	if tags == nil {
		tags = r.run.tags().With("op", op)
		r.tags[op] = tags
	}
	r.samples = append(r.samples, metrics.Sample{
		TimeSeries: metrics.TimeSeries{Metric: r.run.metrics.Duration, Tags: tags},
		Time:       r.run.instants.next(),
		Value:      metrics.D(took),
	})
	if len(r.samples) >= rawBatch {
		r.flush()
	}
}

func (r *rawSamples) flush() {
	if len(r.samples) > 0 {
		r.run.scenario.Push(r.samples)
		r.samples = nil
	}
}

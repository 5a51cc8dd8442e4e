package k6glue

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"go.k6.io/k6/v2/metrics"
)

// Thresholds are a test's thresholds on one metric, or on those of its samples that have some tags.
type Thresholds struct {
	// Name is what options.thresholds calls the metric, such as "sweep_p99{clients:64}".
	Name string
	// Parent is the name of the metric without tags, such as "sweep_p99".
	Parent string
	// Tags are those that a sample must have to be judged.
	Tags *metrics.TagSet
	// Metric is what k6 judges, a sub-metric where there are tags.
	Metric *metrics.Metric
}

// ThresholdsOf returns the thresholds of a test's options, by name. Metrics that nobody has
// registered are left out: k6 refuses them by itself. Sub-metrics are made as k6 makes them, so
// that it finds these.
func ThresholdsOf(options map[string]metrics.Thresholds, registry *metrics.Registry) []Thresholds {
	var all []Thresholds
	for _, name := range slices.Sorted(maps.Keys(options)) {
		parent, tags, tagged := strings.Cut(name, "{")
		metric := registry.Get(parent)
		if metric == nil {
			continue
		}
		t := Thresholds{Name: name, Parent: parent, Tags: registry.RootTagSet(), Metric: metric}
		if tagged {
			sub, err := metric.AddSubmetric(strings.TrimSuffix(tags, "}"))
			if err != nil {
				continue
			}
			t.Tags, t.Metric = sub.Tags, sub.Metric
		}
		all = append(all, t)
	}

	return all
}

// LastSample tells when k6 has taken all samples of a test into its metrics, just before it judges
// the thresholds. From the goroutine that takes them, and only from there, metrics can be read and
// changed.
//
// k6 adds each sample of the metric to it, in the order in which samples were sent, and shows it
// nowhere.
type LastSample struct {
	at   atomic.Int64 // the time of the last sample, ns; zero: not sent yet
	then func()
}

// NewLastSample waits for the last sample at the metric. It has to be called before the first
// sample is sent.
func NewLastSample(metric *metrics.Metric, registry *metrics.Registry) *LastSample {
	last := &LastSample{}
	hide(metric, registry, last)

	return last
}

// Then says what is to be done when k6 has taken the metric's sample of this time. It has to be
// called before that is sent, once.
func (l *LastSample) Then(at time.Time, then func()) {
	l.then = then
	l.at.Store(at.UnixNano())
}

// Add implements metrics.Sink.
func (l *LastSample) Add(s metrics.Sample) {
	if at := l.at.Load(); at != 0 && at == s.Time.UnixNano() {
		l.at.Store(0)
		l.then()
	}
}

// Format implements metrics.Sink.
func (*LastSample) Format(time.Duration) map[string]float64 { return nil }

// IsEmpty implements metrics.Sink.
func (*LastSample) IsEmpty() bool { return true }

// NeverHolds makes k6 judge the threshold as crossed, whatever the metric's figures are, and show
// it as it was written. It is for the goroutine that LastSample calls from.
//
// Only what the threshold was parsed to is replaced, the one part of it that no output ever reads:
// they read the others at any time.
func NeverHolds(t *metrics.Threshold, metric *metrics.Metric) error {
	subject, known := map[metrics.MetricType]string{
		metrics.Counter: "count", metrics.Gauge: "value", metrics.Trend: "avg", metrics.Rate: "rate",
	}[metric.Type]
	if !known {
		return fmt.Errorf("metric %s is of an unknown type", metric.Name)
	}
	never := metrics.NewThresholds([]string{subject + "<NaN"})
	if err := never.Parse(); err != nil {
		return err
	}
	if metric.Type == metrics.Rate && metric.Sink.IsEmpty() {
		metric.Sink.Add(metrics.Sample{}) // k6 judges no Rate without a sample
	}

	parsed := func(t *metrics.Threshold) reflect.Value { return reflect.ValueOf(t).Elem().FieldByName("parsed") }
	into, from := parsed(t), parsed(never.Thresholds[0])
	if !into.IsValid() || into.Kind() != reflect.Pointer {
		return errors.New("this version of k6 keeps thresholds in another form")
	}
	*(*unsafe.Pointer)(into.Addr().UnsafePointer()) = from.UnsafePointer()

	return nil
}

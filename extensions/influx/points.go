package influx

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/influxdata/line-protocol/v2/lineprotocol"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// The measurements.
const (
	bySecond = "sweep"      // one point a second, for each kind of operation
	byStep   = "sweep_step" // one point a step, for each kind of operation
)

// shortestRate is how long a second must be at least to have a rate: the rest of one, at the end of
// a step, would show any.
const shortestRate = 500 * time.Millisecond

// points writes figures as lines of the line protocol, with times in nanoseconds.
// https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/
type points struct {
	tags map[string]string // of all points
}

// newPoints adds the tags of the run (k6 run --tag) and the name of the instance to all points.
func newPoints(runTags map[string]string, instance string) *points {
	tags := maps.Clone(runTags)
	if tags == nil {
		tags = map[string]string{}
	}
	tags["instance"] = instance

	return &points{tags: tags}
}

// lines returns one line, with its end, for each point. The error is that of points which the
// protocol has no form for; the lines are those of the others.
func (p *points) lines(f *stream.Figures) (lines [][]byte, err error) {
	for i := range f.Seconds {
		s := &f.Seconds[i]
		line, failed := p.line(bySecond, p.tagsOf(&f.Step, s.Op, s.Variant, s.Phase), secondFields(f, s), f.At)
		lines, err = collect(lines, err, line, failed)
	}
	for i := range f.Ended {
		s := &f.Ended[i]
		line, failed := p.line(byStep, p.tagsOf(&f.Step, s.Op, s.Key().Variant, stream.Measure), stepFields(f, s), f.At)
		lines, err = collect(lines, err, line, failed)
	}

	return lines, err
}

func collect(lines [][]byte, err error, line []byte, failed error) ([][]byte, error) {
	if failed != nil {
		return lines, failed
	}

	return append(lines, line), err
}

// ownTags are the tags that points have of the sweep, and the names that InfluxDB keeps for itself.
var ownTags = []string{ //nolint:gochecknoglobals // a constant
	"scenario", "clients", "op", "variant", "phase", "repeat", "target", "rate",
	"time", "_time", "_field", "_measurement",
}

// checkRunTags returns an error that names a tag of the run (k6 run --tag) that points cannot have:
// the sweep has a tag of that name, InfluxDB does, or the line protocol cannot write the name.
func checkRunTags(tags map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		switch {
		case slices.Contains(ownTags, name):
			return fmt.Errorf("the run's tag %q cannot be written, since points have a tag of that name: give it another, such as run_%s",
				name, name)
		case name == "" || strings.HasSuffix(name, `\`) || strings.ContainsFunc(name, unicode.IsControl):
			return fmt.Errorf("the run's tag %q cannot be written: the name must not be empty, have control characters or end in a backslash", name)
		}
	}

	return nil
}

func (p *points) tagsOf(s *stream.Step, op, variant, phase string) map[string]string {
	tags := maps.Clone(p.tags)
	tags["scenario"] = s.Scenario
	tags["clients"] = strconv.Itoa(s.Clients)
	tags["op"] = op
	tags["variant"] = variant
	tags["phase"] = phase
	tags["repeat"] = strconv.Itoa(s.Repeat)
	tags["target"] = s.Target
	if s.Rate > 0 {
		tags["rate"] = strconv.FormatFloat(s.Rate, 'f', -1, 64)
	}

	return tags
}

type field struct {
	name  string
	value any
}

func secondFields(f *stream.Figures, s *stream.Second) []field {
	fields := []field{{"ops", int64(s.Ops)}, {"failed", int64(s.Failed)}}
	if s.Elapsed >= shortestRate {
		fields = append(fields, field{"ops_per_second", report.Rate(int64(s.Ops), s.Elapsed)})
	}
	if s.Phase == stream.Warmup {
		return fields
	}
	if s.Ops > 0 {
		fields = append(fields, latencyFields(&report.Step{Latency: report.Latency(s.Durations)})...)
	}
	fields = append(fields, field{"clients_done", int64(f.Done)},
		field{"bytes_sent", int64(s.BytesSent)}, field{"bytes_received", int64(s.BytesReceived)})

	return append(fields, counterFields(s.Counters)...)
}

func stepFields(f *stream.Figures, s *report.Step) []field {
	fields := []field{{"ops", s.Operations}, {"failed", int64(s.Failed)}, {"ops_per_second", s.OpsPerSecond}}
	if s.Operations > 0 {
		fields = append(fields, latencyFields(s)...)
	}
	fields = append(fields, field{"clients_done", int64(f.Done)},
		field{"bytes_sent", int64(s.BytesSent)}, field{"bytes_received", int64(s.BytesReceived)},
		field{"seconds", s.Seconds}, field{"complete", s.Complete}, field{"cpu_k6", s.CPU.K6})
	if s.CPU.Server != nil {
		fields = append(fields, field{"cpu_server", *s.CPU.Server})
	}
	if s.Extra.HitRate != nil {
		fields = append(fields, field{"hit_rate", *s.Extra.HitRate})
	}

	cache := measure.Counters{measure.Hits: s.Extra.Hits, measure.Misses: s.Extra.Misses}

	return append(fields, counterFields(cache.Plus(s.Extra.Counters))...)
}

// latencyFields are the figures of a step that are durations, in milliseconds.
func latencyFields(s *report.Step) (fields []field) {
	for _, f := range report.Latencies() {
		fields = append(fields, field{f.Key, f.Of(s)})
	}

	return fields
}

// counterFields are what operations have counted beside themselves. A cache's hits and misses come
// together, and what is hot is a benchmark's own.
func counterFields(counted measure.Counters) (fields []field) {
	if counted[measure.Hits]+counted[measure.Misses] > 0 {
		fields = append(fields, field{measure.Hits, int64(counted[measure.Hits])}, field{measure.Misses, int64(counted[measure.Misses])})
	}
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		switch name {
		case measure.Hits, measure.Misses, measure.Hot, measure.HotHits:
		default:
			fields = append(fields, field{name, int64(counted[name])})
		}
	}

	return fields
}

func (p *points) line(measurement string, tags map[string]string, fields []field, at time.Time) ([]byte, error) {
	var e lineprotocol.Encoder
	e.StartLine(measurement)
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if value := clean(tags[name]); value != "" { // a tag without a value is none
			e.AddTag(name, value)
		}
	}
	for _, f := range fields {
		value, ok := lineprotocol.NewValue(f.value)
		if !ok {
			return nil, fmt.Errorf("the field %s of %s cannot be written: %v", f.name, measurement, f.value)
		}
		e.AddField(f.name, value)
	}
	e.EndLine(at)
	if err := e.Err(); err != nil {
		return nil, fmt.Errorf("a point of %s cannot be written: %w", measurement, err)
	}

	return e.Bytes(), nil
}

// lastBackslash is what stands for a backslash at the end of a tag's value: there it would escape
// the comma or space that follows, and the line protocol has no escape for a backslash. Cut off
// instead, two names would be one.
const lastBackslash = "%5C"

// clean makes a tag's value one that the line protocol has a form for: without control characters,
// and no backslash at its end.
func clean(value string) string {
	value = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}

		return r
	}, strings.ToValidUTF8(value, "\uFFFD"))

	if most, found := strings.CutSuffix(value, `\`); found {
		return most + lastBackslash
	}

	return value
}

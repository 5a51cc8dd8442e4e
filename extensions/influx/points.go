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

// Measurements.
const (
	bySecond = "sweep"      // one point per second and operation
	byStep   = "sweep_step" // one point per step and operation
)

// shortestRate is the shortest time with a rate. A step's last, partial second would give a
// meaningless one.
const shortestRate = 500 * time.Millisecond

// points formats figures in the line protocol, with times in nanoseconds.
// https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/
type points struct {
	tags map[string]string // tags of every point
}

func newPoints(runTags map[string]string, instance string) *points {
	tags := maps.Clone(runTags)
	if tags == nil {
		tags = map[string]string{}
	}
	tags["instance"] = instance

	return &points{tags: tags}
}

// lines returns one line per point. It skips points that the protocol cannot represent, and returns
// an error for them.
func (p *points) lines(f *stream.Figures) (lines [][]byte, err error) {
	add := func(measurement string, tags map[string]string, fields []field) {
		line, failed := p.line(measurement, tags, fields, f.At)
		if failed != nil {
			err = failed

			return
		}
		lines = append(lines, line)
	}
	for i := range f.Seconds {
		s := &f.Seconds[i]
		add(bySecond, p.tagsOf(&f.Step, s.Op, s.Variant, s.Phase), secondFields(f, s))
	}
	for i := range f.Ended {
		s := &f.Ended[i]
		add(byStep, p.tagsOf(&f.Step, s.Op, s.Key().Variant, stream.Measure), stepFields(f, s))
	}

	return lines, err
}

// ownTags are the sweep's own tags and InfluxDB's reserved names.
var ownTags = []string{ //nolint:gochecknoglobals // a constant
	"scenario", "clients", "op", "variant", "phase", "repeat", "target", "rate",
	"time", "_time", "_field", "_measurement",
}

func checkRunTags(tags map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		switch {
		case slices.Contains(ownTags, name):
			return fmt.Errorf("the run's tag %q is the name of a sweep's own tag: rename it, for example to run_%s",
				name, name)
		case name == "" || strings.HasSuffix(name, `\`) || strings.ContainsFunc(name, unicode.IsControl):
			return fmt.Errorf("the run's tag %q must not be empty, contain control characters or end in a backslash", name)
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
	fields = append(fields, field{"clients_done", int64(f.Done)})
	fields = append(fields, trafficFields(s.BytesSent, s.BytesReceived)...)

	return append(fields, counterFields(s.Counters)...)
}

func stepFields(f *stream.Figures, s *report.Step) []field {
	fields := []field{{"ops", s.Operations}, {"failed", int64(s.Failed)}, {"ops_per_second", s.OpsPerSecond}}
	if s.Operations > 0 {
		fields = append(fields, latencyFields(s)...)
	}
	fields = append(fields, field{"clients_done", int64(f.Done)})
	fields = append(fields, trafficFields(s.BytesSent, s.BytesReceived)...)
	fields = append(fields,
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

// trafficFields is empty if no byte was counted: most clients count none.
func trafficFields(sent, received uint64) []field {
	if sent+received == 0 {
		return nil
	}

	return []field{{"bytes_sent", int64(sent)}, {"bytes_received", int64(received)}}
}

func latencyFields(s *report.Step) (fields []field) {
	for _, f := range report.Latencies() {
		fields = append(fields, field{f.Key, f.Of(s)})
	}

	return fields
}

// counterFields returns the counters of operations. It writes hits and misses only together, and
// omits hot keys.
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
		if value := clean(tags[name]); value != "" { // the protocol has no empty tag values
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

// lastBackslash replaces a backslash at the end of a tag value. The line protocol cannot escape it
// there, and cutting it off would merge two names.
const lastBackslash = "%5C"

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

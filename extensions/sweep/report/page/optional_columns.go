package page

import (
	"maps"
	"slices"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// tail is the name of the column with the time after the measured phase.
const tail = "tail"

type optional struct {
	name, key string
	value     func(*report.Step) *float64
	text      func(float64) string
}

var optionals = []optional{ //nolint:gochecknoglobals // a constant
	{"ops/s of all clients", "allClients.opsPerSecond", func(s *report.Step) *float64 {
		return of(s.AllClients, func(a *report.AllClients) float64 { return a.OpsPerSecond })
	}, rate},
	{tail, "window.tailSeconds", func(s *report.Step) *float64 {
		return of(s.Window, func(w *report.Window) float64 { return w.TailSeconds })
	}, span},
	{"achieved", "openLoop.achievedRate", func(s *report.Step) *float64 {
		return of(s.OpenLoop, func(o *report.OpenLoop) float64 { return o.AchievedRate })
	}, rate},
	{"longest queue", "openLoop.longestQueue", func(s *report.Step) *float64 {
		return of(s.OpenLoop, func(o *report.OpenLoop) float64 { return float64(o.LongestQueue) })
	}, func(n float64) string { return count(uint64(n)) }},
	{"lateness p99", "openLoop.latenessMs.p99", func(s *report.Step) *float64 {
		return of(s.OpenLoop, func(o *report.OpenLoop) float64 { return o.Lateness.P99 })
	}, millis},
	{"standstill", "standstill.longestMs", func(s *report.Step) *float64 {
		if s.StoodStill() == "" {
			return nil
		}

		return &s.Standstill.LongestMs
	}, millis},
	{"client wait", "clientWaitMs.mean", func(s *report.Step) *float64 {
		return of(s.ClientWait, func(w *report.AnswersMs) float64 { return w.Mean })
	}, millis},
	{"client wait p99", "clientWaitMs.p99", func(s *report.Step) *float64 {
		return of(s.ClientWait, func(w *report.AnswersMs) float64 { return w.P99 })
	}, millis},
	{"requests p50", "requestMs.p50", func(s *report.Step) *float64 {
		return of(s.Requests, func(w *report.AnswersMs) float64 { return w.P50 })
	}, millis},
	{"requests p99", "requestMs.p99", func(s *report.Step) *float64 {
		return of(s.Requests, func(w *report.AnswersMs) float64 { return w.P99 })
	}, millis},
	{"failed p50", "failedLatencyMs.p50", func(s *report.Step) *float64 {
		return of(s.FailedLatency, func(f *report.FailedLatencyMs) float64 { return f.P50 })
	}, millis},
	{"failed p99", "failedLatencyMs.p99", func(s *report.Step) *float64 {
		return of(s.FailedLatency, func(f *report.FailedLatencyMs) float64 { return f.P99 })
	}, millis},
}

func counted(r *report.Report) (columns []optional) {
	names := map[string]bool{}
	for i := range r.Steps {
		for name := range r.Steps[i].Extra.Counters {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		columns = append(columns, optional{name, "extra.counters." + name, func(s *report.Step) *float64 {
			n, there := s.Extra.Counters[name]
			if !there {
				return nil
			}
			v := float64(n)

			return &v
		}, func(n float64) string { return count(uint64(n)) }})
	}

	return columns
}

// of returns a figure of a part of a step, or nil without that part.
func of[T any](part *T, figure func(*T) float64) *float64 {
	if part == nil {
		return nil
	}
	v := figure(part)

	return &v
}

// tells reports whether a step makes the column worth showing: a tail has to last.
func (o *optional) tells(s *report.Step) bool {
	v := o.value(s)

	return v != nil && (o.name != tail || o.text(*v) != o.text(0))
}

func someSteps(r *report.Report) []tabular {
	var columns []tabular
	for _, o := range slices.Concat(optionals, counted(r)) {
		if !slices.ContainsFunc(r.Steps, func(s report.Step) bool { return o.tells(&s) }) {
			continue
		}
		columns = append(columns, figureOf(o.name, o.key, o.value, func(v *float64) string {
			if v == nil {
				return "–"
			}

			return o.text(*v)
		}))
	}

	return columns
}

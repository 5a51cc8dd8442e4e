package output

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// meaning describes the samples of a time series. The zero value means to ignore them.
type meaning struct {
	// scenario is nil for samples of a sweep, and for ignored ones.
	scenario *scenario
	// op is set for the durations of an operation.
	op string
	// failed is the reason of a failure, if the tags show it.
	failed string
	// asksOthers is set if other samples of the container show a failure.
	asksOthers bool
	// untimed marks a failed operation without duration.
	untimed bool
	// socket marks a session, whose sample may have the time of its start.
	socket bool

	// sums are the metrics that the sample adds to.
	sums []*sum
	// iterations and dropped mark counts for the scenario.
	iterations, dropped bool
	// vus marks the number of active VUs.
	vus bool
}

// longestName is in bytes.
const longestName = 200

var parts = map[string]bool{ //nolint:gochecknoglobals // a constant
	metrics.HTTPReqBlockedName: true, metrics.HTTPReqConnectingName: true, metrics.HTTPReqTLSHandshakingName: true,
	metrics.HTTPReqSendingName: true, metrics.HTTPReqWaitingName: true, metrics.HTTPReqReceivingName: true,
	metrics.WSConnectingName: true, metrics.WSPingName: true, metrics.VUsMaxName: true,
}

func (o *Output) meaningOf(series metrics.TimeSeries) meaning { //nolint:cyclop,funlen // one case for each tag
	metric, tag := series.Metric, func(name string) string {
		value, _ := series.Tags.Get(name)

		return value
	}
	name := metric.Name
	s := o.scenarioOf(tag("scenario"), tag("group"))
	switch {
	case s == nil, parts[name], stream.OwnMetric(name): // sweeps have their own reports
		return meaning{}
	case name == metrics.VUsName:
		return meaning{vus: true}
	case name == metrics.DroppedIterationsName:
		return meaning{scenario: s, dropped: true, sums: o.sumsOf(metric, "")}
	case name == metrics.IterationsName:
		return meaning{scenario: s, iterations: true, sums: o.sumsOf(metric, "")}
	case name == metrics.WSSessionsName:
		m := meaning{scenario: s, sums: o.sumsOf(metric, "")}
		if o.hasStatus && tag("status") != strconv.Itoa(http.StatusSwitchingProtocols) {
			m.op, m.asksOthers, m.untimed = socketName(tag), true, true
		}

		return m
	case metric.Type != metrics.Trend || metric.Contains != metrics.Time:
		return meaning{scenario: s, sums: o.sumsOf(metric, tag("check"))}
	}
	m := meaning{scenario: s, op: name}
	switch {
	case name == metrics.HTTPReqDurationName:
		m.op, m.asksOthers = joined(tag("method"), cmp.Or(tag("name"), tag("url"), "HTTP")), true
	case name == metrics.GRPCReqDurationName:
		m.op, m.asksOthers = joined("grpc", strings.TrimPrefix(cmp.Or(tag("name"), tag("url"), "call"), "/")), o.hasStatus
	case name == metrics.WSSessionDurationName:
		if o.hasStatus && tag("status") != strconv.Itoa(http.StatusSwitchingProtocols) {
			return meaning{} // ws_sessions counts it
		}
		m.op, m.socket = socketName(tag), true
	case name == metrics.IterationDurationName:
		m.op = "iteration"
	case name == metrics.GroupDurationName:
		m.op = joined("group", strings.ReplaceAll(strings.TrimPrefix(tag("group"), "::"), "::", "/"))
	case name == "browser_http_req_duration":
		m.op, m.failed = joined("browser", joined(tag("method"), cmp.Or(tag("name"), tag("url"))), ""), browserFailure(tag("status"))
	case strings.HasPrefix(name, "browser_web_vital_"):
		m.op = joined("page "+strings.TrimPrefix(name, "browser_web_vital_"), cmp.Or(tag("name"), tag("url")))
	case name == stream.MetricOpDuration:
		m.op = tag("op")
		if tag(stream.TagOutcome) == stream.OutcomeFailed {
			m.failed = "it failed" // the sample's metadata have the reason
		}
	case strings.HasSuffix(name, "_op_duration") && tag("op") != "":
		m.op = joined(strings.TrimSuffix(name, "_op_duration"), tag("op"))
		switch outcome := tag(stream.TagOutcome); outcome {
		case "", k6x.OutcomeOK:
		case k6x.KindCancelled: // cut off by the end of the test
			return meaning{}
		default:
			m.failed = "outcome " + outcome
		}
	}
	m.op = shortened(m.op)

	return m
}

func socketName(tag func(string) string) string {
	return shortened(joined("ws", cmp.Or(tag("name"), tag("url"))))
}

// browserFailure returns a text for a status of 400 or more, else "".
func browserFailure(status string) string {
	n, err := strconv.Atoi(status)
	if err != nil || n > 0 && n < http.StatusBadRequest {
		return ""
	}

	return strings.TrimSpace("answered " + status + " " + http.StatusText(n))
}

func joined(texts ...string) string { return strings.TrimSpace(strings.Join(texts, " ")) }

// shortened limits the length of a name and makes it valid UTF-8.
func shortened(name string) string {
	name = strings.ToValidUTF8(name, "\uFFFD")
	if len(name) <= longestName {
		return name
	}
	end := longestName
	for !utf8.RuneStart(name[end]) {
		end--
	}

	return name[:end] + "..."
}

type sum struct {
	report.Metric

	total  float64
	values *measure.Series // values of a trend; nil if a value is out of range
}

func newSum(name string, kind metrics.MetricType) *sum {
	s := &sum{Metric: report.Metric{Name: name, Kind: kind.String()}}
	if kind == metrics.Trend {
		s.values = measure.NewSeries(name, 0, false)
	}

	return s
}

func (s *sum) add(at time.Time, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	if s.Samples == 0 {
		s.Min, s.Max = value, value
	}
	s.Min, s.Max = min(s.Min, value), max(s.Max, value)
	s.Samples++
	if s.Kind == report.KindRate && value != 0 { // as k6 counts it
		value = 1
	}
	s.total += value
	if s.Kind == report.KindGauge && !at.Before(s.Last) {
		s.Last, s.Value = at.UTC(), value
	}
	if s.values == nil {
		return
	}
	if value < 0 || value > report.TrendHighest {
		s.values = nil

		return
	}
	s.values.Ok(0, time.Duration(math.Round(value*float64(report.TrendUnit))))
}

func (s *sum) metric() report.Metric {
	m := s.Metric
	switch m.Kind {
	case report.KindCounter:
		m.Value = s.total
	case report.KindGauge:
	default:
		m.Value = s.total / float64(max(m.Samples, 1))
	}
	if s.values != nil {
		totals := s.values.Totals(0)
		m.SetDistribution(&totals.Durations)
	}

	return m
}

// vus has the active VUs, in slots of equal length.
type vus struct {
	started time.Time
	width   time.Duration
	active  []float64
}

func (v *vus) add(at time.Time, n float64) {
	if v.width == 0 {
		v.started, v.width = at, time.Second // k6 sends it once a second
	}
	i := max(int(at.Sub(v.started)/v.width), 0)
	for ; i >= measure.MostSlots; i /= 2 {
		half := v.active[:0]
		for at := 0; at < len(v.active); at += 2 {
			half = append(half, max(v.active[at], v.active[min(at+1, len(v.active)-1)]))
		}
		v.active, v.width = half, 2*v.width
	}
	for len(v.active) <= i {
		v.active = append(v.active, 0)
	}
	v.active[i] = max(v.active[i], n)
}

// lane returns the VUs for the report; nil without samples.
func (v *vus) lane() *report.VUs {
	if len(v.active) == 0 {
		return nil
	}

	return &report.VUs{Started: v.started.UTC(), SlotSeconds: v.width.Seconds(), Active: v.active}
}

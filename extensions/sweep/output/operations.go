package output

import (
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// meaning is what a sample of a time series is to the report. The zero value is nothing.
type meaning struct {
	// scenario is nil where the sample is of a sweep, or of no interest.
	scenario *scenario
	// op is of a sample that is an operation's duration.
	op string
	// failed is why the operation has failed, where the tags tell; "" when they do not.
	failed string
	// asks says that the other samples beside it tell whether it has failed.
	asks bool
	// untimed is of a sample that is a failed operation, and no duration.
	untimed bool
	// socket is of a session, whose sample may have the time of its beginning.
	socket bool

	// sums are the metrics that the sample adds to.
	sums []*sum
	// iterations and dropped are counts of the scenario's.
	iterations, dropped bool
	// vus is how many VUs are at work.
	vus bool
}

// longestName is how long the name of an operation may be, in bytes.
const longestName = 200

// parts are k6's metrics of parts of an operation, whose whole is one.
var parts = map[string]bool{ //nolint:gochecknoglobals // a constant
	metrics.HTTPReqBlockedName: true, metrics.HTTPReqConnectingName: true, metrics.HTTPReqTLSHandshakingName: true,
	metrics.HTTPReqSendingName: true, metrics.HTTPReqWaitingName: true, metrics.HTTPReqReceivingName: true,
	metrics.WSConnectingName: true, metrics.WSPingName: true, metrics.VUsMaxName: true,
}

// meaningOf finds out what samples of the time series are.
func (o *Output) meaningOf(series metrics.TimeSeries) meaning { //nolint:cyclop,funlen // one case for each tag
	metric, tag := series.Metric, func(name string) string {
		value, _ := series.Tags.Get(name)

		return value
	}
	name := metric.Name
	s := o.scenarioOf(tag("scenario"), tag("group"))
	switch {
	case s == nil, parts[name], stream.OwnMetric(name): // of a sweep, which has a report of its own
		return meaning{}
	case name == metrics.VUsName:
		return meaning{vus: true}
	case name == metrics.DroppedIterationsName:
		return meaning{scenario: s, dropped: true, sums: o.sumsOf(metric, "")}
	case name == metrics.IterationsName:
		return meaning{scenario: s, iterations: true, sums: o.sumsOf(metric, "")}
	case name == metrics.WSSessionsName:
		m := meaning{scenario: s, sums: o.sumsOf(metric, "")}
		if o.tellsStatus && tag("status") != strconv.Itoa(http.StatusSwitchingProtocols) {
			m.op, m.asks, m.untimed = socketName(tag), true, true
		}

		return m
	case metric.Type != metrics.Trend || metric.Contains != metrics.Time:
		return meaning{scenario: s, sums: o.sumsOf(metric, tag("check"))}
	}
	m := meaning{scenario: s, op: name}
	switch {
	case name == metrics.HTTPReqDurationName:
		m.op, m.asks = joined(tag("method"), first(tag("name"), tag("url"), "HTTP")), true
	case name == metrics.GRPCReqDurationName:
		m.op, m.asks = joined("grpc", strings.TrimPrefix(first(tag("name"), tag("url"), "call"), "/")), o.tellsStatus
	case name == metrics.WSSessionDurationName:
		if o.tellsStatus && tag("status") != strconv.Itoa(http.StatusSwitchingProtocols) {
			return meaning{} // ws_sessions tells of it
		}
		m.op, m.socket = socketName(tag), true
	case name == metrics.IterationDurationName:
		m.op = "iteration"
	case name == metrics.GroupDurationName:
		m.op = joined("group", strings.ReplaceAll(strings.TrimPrefix(tag("group"), "::"), "::", "/"))
	case name == "browser_http_req_duration":
		m.op, m.failed = joined("browser", joined(tag("method"), first(tag("name"), tag("url"))), ""), browserFailure(tag("status"))
	case strings.HasPrefix(name, "browser_web_vital_"):
		m.op = joined("page "+strings.TrimPrefix(name, "browser_web_vital_"), first(tag("name"), tag("url")))
	case name == stream.MetricOpDuration:
		m.op = tag("op")
		if tag(stream.TagOutcome) == stream.OutcomeFailed {
			m.failed = "it failed" // the sample's metadata say why
		}
	case strings.HasSuffix(name, "_op_duration") && tag("op") != "":
		m.op = joined(strings.TrimSuffix(name, "_op_duration"), tag("op"))
		switch outcome := tag(stream.TagOutcome); outcome {
		case "", k6mod.OutcomeOK:
		case k6mod.KindCancelled: // the end of the test has cut it off
			return meaning{}
		default:
			m.failed = "outcome " + outcome
		}
	}
	m.op = shortened(m.op)

	return m
}

// socketName is what a session of a WebSocket is called.
func socketName(tag func(string) string) string {
	return shortened(joined("ws", first(tag("name"), tag("url"))))
}

// browserFailure says that a status is that of a request which has failed, or nothing.
func browserFailure(status string) string {
	n, err := strconv.Atoi(status)
	if err != nil || n > 0 && n < http.StatusBadRequest {
		return ""
	}

	return strings.TrimSpace("answered " + status + " " + http.StatusText(n))
}

func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}

	return ""
}

func joined(texts ...string) string { return strings.TrimSpace(strings.Join(texts, " ")) }

// shortened is a name that is not too long, and is text.
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

package output

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report/page"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

const (
	// exitOther is the exit code of other errors, such as a full disk.
	exitOther exitcodes.ExitCode = 1
	mostRows  int                = 100
)

func newReport(name string, params map[string]any) *report.Report {
	r := testrun.NewReport(name, params)
	r.Script = &report.Script{}

	return r
}

// publish judges the gates and writes the files. The table appears after k6's summary.
func (o *Output) publish(r *report.Report) {
	for i := range r.Steps {
		if lost := r.Steps[i].DropNotNumbers(); len(lost) > 0 {
			o.logger.Errorf("internal error: figures are not numbers and are left out of the report: %s", strings.Join(lost, ", "))
			k6x.FailExit(exitcodes.MarkedAsFailed)
		}
	}
	_, part := r.Params["segment"]
	if len(r.Steps) == 0 && !part {
		o.logger.Errorf("nothing was measured: there was no operation to report")
		k6x.FailExit(exitcodes.MarkedAsFailed)
	}
	if o.config.Gates != nil {
		verdicts := o.config.Gates.Judge(r)
		testrun.FailGates(verdicts)
		r.Gates = append(r.Gates, verdicts...)
	}
	base, err := testrun.WriteFiles(r, o.base())
	if err != nil {
		o.logger.Errorf("the report could not be written: %s", err)
		testrun.LogGates(r.Gates, false, o.logger)
		k6x.FailExit(exitOther)

		return
	}
	where := fmt.Sprintf("report: %s%s\n", base, page.Suffixes())
	if len(r.Steps) <= mostRows {
		where = fmt.Sprintf("\n%s\n%s", r.Markdown(), where)
	}
	shown := o.params.RuntimeOptions.SummaryMode.String != "disabled"
	k6x.AtExit(func(bool, error) {
		if shown {
			_, _ = fmt.Fprint(k6x.Stdout(), where)
		}
		testrun.LogGates(r.Gates, shown && len(r.Steps) <= mostRows, o.logger)
	})
}

func (o *Output) thresholdVerdicts() (verdicts []report.Verdict) {
	if o.params.RuntimeOptions.NoThresholds.Bool {
		return nil
	}
	lasted := max(o.last.Sub(o.starts), time.Millisecond)
	for _, name := range slices.Sorted(maps.Keys(o.thresholds)) {
		detail := "no samples"
		if metric := o.metric(name); metric != nil && metric.Sink != nil && !metric.Sink.IsEmpty() {
			detail = testrun.FormatValues(metric.Sink.Format(lasted))
		}
		for _, t := range o.thresholds[name].Thresholds {
			v := report.Verdict{Gate: name + " " + t.Source, Held: !t.LastFailed, Detail: detail, Outcome: stats.Crossed, Threshold: true}
			if v.Held {
				v.Outcome = stats.Held
			}
			verdicts = append(verdicts, v)
		}
	}

	return verdicts
}

// metric returns the metric or submetric that a threshold names; nil without samples.
func (o *Output) metric(name string) *metrics.Metric {
	parent, _, tagged := strings.Cut(name, "{")
	metric := o.known[parent]
	if metric == nil || !tagged {
		return metric
	}
	for _, sub := range metric.Submetrics {
		if sub.Name == name {
			return sub.Metric
		}
	}

	return nil
}

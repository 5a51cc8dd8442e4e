package main

import (
	"fmt"
	"strings"
)

// prometheus is what k6's output experimental-prometheus-rw has written to, with the tag instance
// for the run.
func prometheus() store {
	return store{
		uid: "xk6-sweep-prometheus", title: "xk6-sweep (Prometheus)", file: "prometheus.json",
		datasource: "prometheus",
		targets:    promTargets,
		merged:     true,
		columns:    promColumns,
		values:     promValues,
	}
}

// Which series: Grafana escapes a variable for the operator =~ where several of its values can be
// chosen, and for = where only one can.
const (
	promOf       = `scenario="$scenario", clients=~"$clients"`
	promChosen   = promOf + `, instance=~"$instance"`
	promBaseline = promOf + `, instance="$baseline"`
	promOp       = `, op=~"$op"`
)

// promMetric is the metric of a figure; "" where there is none.
func promMetric(f figure) string {
	return [...]string{
		"k6_sweep_ops_per_second", "k6_sweep_p50", "k6_sweep_p99", "k6_sweep_p999", "k6_sweep_max", "k6_sweep_ops_total",
		"", "k6_data_sent_total", "k6_data_received_total", "",
	}[f]
}

// promFailed is the part of a selector that tells operations that failed from the others.
func promFailed(f figure) string {
	if f == failed {
		return `, outcome="failed"`
	}

	return ""
}

// promOverTime is what a figure is in one interval of a graph.
func promOverTime(f figure) string {
	const by = "sum by (op, clients, instance) "
	rate := func(metric, selector string) string {
		return fmt.Sprintf(`%s(rate(%s{%s}[$__rate_interval]))`, by, metric, selector)
	}
	switch f {
	case opsPerSecond:
		return rate("k6_sweep_ops_total", promChosen+promOp+`, outcome="ok"`)
	case failed:
		return rate(promMetric(f), promChosen+promOp+promFailed(f))
	case p50:
		return fmt.Sprintf(`%s(quantile_over_time(0.5, %s{%s}[$__rate_interval]))`, by, promMetric(f), promChosen+promOp)
	case hitRate:
		found, missed := rate("", promChosen+`, __name__=~"k6_.+_hits_total"`), rate("", promChosen+`, __name__=~"k6_.+_misses_total"`)

		return fmt.Sprintf(`%s / (%s + (%s or %s * 0))`, found, found, missed, found)
	case sent, received:
		return rate(promMetric(f), promChosen)
	case p99, p999, longest, complete:
	}

	return fmt.Sprintf(`%s(max_over_time(%s{%s}[$__rate_interval]))`, by, promMetric(f), promChosen+promOp)
}

// promOfStep is a figure of whole steps: the last that the executor sends of a step, and the
// counters at its end.
func promOfStep(f figure, selector, by string) string {
	return fmt.Sprintf(`max by (%s) (last_over_time(%s{%s}[$__range]))`, by, promMetric(f), selector+promOp+promFailed(f))
}

func promTargets(p panel) []object {
	const step = "clients, rate, op, instance"
	figures := promFigures(p)
	targets := make([]object, 0, len(figures))
	for i, f := range figures {
		target := object{"refId": string(rune('A' + i)), "instant": true, "range": false, "format": "table", "editorMode": "code"}
		switch {
		case p.kind == overTime:
			target["instant"], target["range"], target["format"] = false, true, "time_series"
			target["interval"] = "1s"
			target["legendFormat"] = p.label(f.name(), "{{op}}", "{{clients}}", "{{instance}}")
			target["expr"] = promOverTime(f)
		case p.kind == change:
			const both = "clients, rate, op"
			target["expr"] = fmt.Sprintf(`%s / %s - 1`, promOfStep(f, promChosen, both), promOfStep(f, promBaseline, both))
		case p.baseline:
			target["expr"] = promOfStep(f, promChosen, step) + " or " + promOfStep(f, promBaseline, step)
		default:
			target["expr"] = promOfStep(f, promChosen, step)
		}
		targets = append(targets, target)
	}

	return targets
}

// promFigures are those of a panel that can be asked: the executor's metrics do not have all of a
// whole step's.
func promFigures(p panel) []figure {
	var figures []figure
	for _, f := range p.figures {
		if p.kind == overTime || promMetric(f) != "" {
			figures = append(figures, f)
		}
	}

	return figures
}

// promColumns: Grafana calls the values of several queries by their letters, and those of one just
// so.
func promColumns(p panel) map[string]string {
	figures := promFigures(p)
	columns := map[string]string{}
	for i, f := range figures {
		if len(figures) == 1 {
			columns["Value"] = f.name()
		} else {
			columns[fmt.Sprintf("Value #%c", 'A'+i)] = f.name()
		}
	}

	return columns
}

func promValues(v variable) any {
	within := make([]string, 0, len(v.within))
	for _, name := range v.within {
		within = append(within, fmt.Sprintf(`%s="$%s"`, name, name))
	}
	query := fmt.Sprintf(`label_values(k6_sweep_ops_total{%s}, %s)`, strings.Join(within, ", "), v.tag())

	return object{"query": query, "refId": "values", "qryType": 1}
}

package main

import (
	"fmt"
	"strings"
)

// influxdb is InfluxDB 1, 2 and 3, as the output sweep-influxdb writes to them.
func influxdb() store {
	return store{
		uid: "xk6-sweep-influxdb", title: "xk6-sweep (InfluxDB)", file: "influxdb.json",
		datasource: "influxdb",
		targets:    influxTargets,
		columns:    func(panel) map[string]string { return nil },
		values:     influxValues,
	}
}

// influxField is the field of a figure in both measurements; "" where it is no single one.
func influxField(f figure) string {
	return [...]string{
		"ops_per_second", "p50", "p99", "p999", "max", "failed", "", "bytes_sent", "bytes_received", "complete",
	}[f]
}

// influxOverTime is what a figure is in one interval of a graph.
func influxOverTime(f figure) string {
	switch f {
	case opsPerSecond:
		return `mean("ops_per_second")`
	case p50:
		return `median("p50")`
	case hitRate:
		return `sum("hits") / (sum("hits") + sum("misses"))`
	case failed, sent, received:
		return fmt.Sprintf(`sum("%s") / ($__interval_ms / 1000)`, influxField(f))
	case p99, p999, longest, complete:
	}

	return fmt.Sprintf(`max("%s")`, influxField(f))
}

// influxWhere is what all queries look at; instances is the condition for the instance.
func influxWhere(instances string) string {
	where := []string{"$timeFilter"}
	for _, name := range []string{"scenario", "op", "clients"} {
		where = append(where, fmt.Sprintf(`"%s" =~ /^${%s:regex}$/`, name, name))
	}

	return strings.Join(append(where, `"instance" =~ /^`+instances+`$/`), " AND ")
}

const (
	influxChosen   = `${instance:regex}`
	influxBaseline = `${baseline:regex}`
	influxBoth     = `(${instance:regex}|${baseline:regex})`
)

func influxTargets(p panel) []object {
	where := influxWhere(influxChosen)
	if p.baseline {
		where = influxWhere(influxBoth)
	}
	query, format := "", "table"
	switch p.kind {
	case overTime:
		format = "time_series"
		query = fmt.Sprintf(`SELECT %s FROM "sweep" WHERE %s AND "phase" = 'measure' GROUP BY time($__interval), %s fill(none)`,
			influxColumns(p, influxOverTime), where, influxSeries(p))
	case againstClients:
		query = fmt.Sprintf(`SELECT %s FROM "sweep_step" WHERE %s GROUP BY "clients", "rate", "op", "instance"`,
			influxColumns(p, influxMedian), where)
	case ofSteps:
		query = fmt.Sprintf(`SELECT "clients"::tag, "rate"::tag, "op"::tag, "instance"::tag, "repeat"::tag, %s FROM "sweep_step" WHERE %s`,
			influxColumns(p, influxOfStep), where)
	case change:
		query = influxChange(p)
	}
	target := object{"refId": "A", "rawQuery": true, "query": query, "resultFormat": format}
	if p.kind == overTime {
		target["alias"] = p.label("$col", "$tag_op", "$tag_clients", "$tag_instance")
	}

	return []object{target}
}

// influxSeries are the tags that tell a graph's lines apart.
func influxSeries(p panel) string {
	if p.anyOperation() {
		return `"clients", "instance"`
	}

	return `"op", "clients", "instance"`
}

// influxOfStep is a figure of one step. The hit rate comes from its parts: that of the report is in
// percent.
func influxOfStep(f figure) string {
	if f == hitRate {
		return `"hits" / ("hits" + "misses")`
	}

	return `"` + influxField(f) + `"`
}

// influxMedian is a figure of a step over its repeats.
func influxMedian(f figure) string { return fmt.Sprintf(`median("%s")`, influxField(f)) }

// influxColumns are the figures of a panel, each under its name.
func influxColumns(p panel, expression func(figure) string) string {
	columns := make([]string, 0, len(p.figures))
	for _, f := range p.figures {
		columns = append(columns, fmt.Sprintf(`%s AS "%s"`, expression(f), f.name()))
	}

	return strings.Join(columns, ", ")
}

// influxChange divides the medians of two runs. InfluxQL has no join: both come as rows of one
// table, each with one half of the columns, and mean skips what is not there.
func influxChange(p panel) string {
	half := func(prefix, instances string) string {
		columns := make([]string, 0, len(p.figures))
		for _, f := range p.figures {
			columns = append(columns, fmt.Sprintf(`%s AS "%s_%s"`, influxMedian(f), prefix, influxField(f)))
		}

		return fmt.Sprintf(`(SELECT %s FROM "sweep_step" WHERE %s GROUP BY "clients", "rate", "op")`,
			strings.Join(columns, ", "), influxWhere(instances))
	}
	ratio := func(f figure) string {
		return fmt.Sprintf(`mean("chosen_%s") / mean("baseline_%s") - 1`, influxField(f), influxField(f))
	}

	return fmt.Sprintf(`SELECT %s FROM %s, %s GROUP BY "clients", "rate", "op"`,
		influxColumns(p, ratio), half("chosen", influxChosen), half("baseline", influxBaseline))
}

func influxValues(v variable) any {
	query := fmt.Sprintf(`SHOW TAG VALUES FROM "sweep_step" WITH KEY = "%s"`, v.tag())
	for _, name := range v.within {
		query += fmt.Sprintf(` WHERE "%s" =~ /^${%s:regex}$/`, name, name)
	}

	return query
}

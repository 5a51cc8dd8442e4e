package report

// Figure is one of a step's figures. Metrics, outputs, tables, gates and searches all use this
// definition.
type Figure struct {
	// Name for people, such as "p99.9".
	Name string
	// Key for programs, as in sweep_p999, p999_ms and p999-ns/op.
	Key string
	// JSON is the path in a report's step, such as "latencyMs.p999".
	JSON string
	// Percentile is zero for other figures.
	Percentile Percentile
	// Rate marks a number per second, which gets worse when it falls. Other figures are latencies in
	// milliseconds.
	Rate bool
	// Chance marks the duration of a single operation, which only k6's thresholds may bound.
	Chance bool
	Of     func(*Step) float64
}

// Figures are all figures, in output order.
var Figures = [...]Figure{ //nolint:gochecknoglobals // a constant
	{Name: "ops/s", Key: "ops_per_second", JSON: "opsPerSecond", Rate: true, Of: opsOf},
	latency("p50", "p50", P50, func(l *LatencyMs) float64 { return l.P50 }),
	latency("p90", "p90", P90, func(l *LatencyMs) float64 { return l.P90 }),
	latency("p95", "p95", P95, func(l *LatencyMs) float64 { return l.P95 }),
	latency("p99", "p99", P99, func(l *LatencyMs) float64 { return l.P99 }),
	latency("p99.9", "p999", P999, func(l *LatencyMs) float64 { return l.P999 }),
	longest("max", func(l *LatencyMs) float64 { return l.Max }),
	latency("mean", "mean", 0, func(l *LatencyMs) float64 { return l.Mean }),
}

func latency(name, key string, p Percentile, of func(*LatencyMs) float64) Figure {
	return Figure{
		Name: name, Key: key, JSON: "latencyMs." + key, Percentile: p, Of: func(s *Step) float64 { return of(&s.Latency) },
	}
}

func longest(name string, of func(*LatencyMs) float64) Figure {
	f := latency(name, name, 0, of)
	f.Chance = true

	return f
}

// FigureOf returns the figure with that key, or nil.
func FigureOf(key string) *Figure {
	for i := range Figures {
		if Figures[i].Key == key {
			return &Figures[i]
		}
	}

	return nil
}

// Latencies returns the figures that are durations.
func Latencies() (latencies []*Figure) {
	for i := range Figures {
		if !Figures[i].Rate {
			latencies = append(latencies, &Figures[i])
		}
	}

	return latencies
}

// Column returns the name in the CSV, with unit.
func (f *Figure) Column() string {
	if f.Rate {
		return f.Key
	}

	return f.Key + "_ms"
}

// Show formats a value for people.
func (f *Figure) Show(value float64) string {
	if f.Rate {
		return showRate(value)
	}

	return Millis(value)
}

// Worse returns the worse of two values.
func (f *Figure) Worse(a, b float64) float64 {
	if f.Rate {
		return min(a, b)
	}

	return max(a, b)
}

// Keeps reports whether a value meets a bound.
func (f *Figure) Keeps(value, bound float64) bool { return f.Worse(value, bound) == bound }

// RestsOnLittle returns why a step has too few operations, or too little time, for the figure; ""
// if it has enough.
func (f *Figure) RestsOnLittle(g *Group) string {
	switch {
	case f.Rate:
		return g.TooShort()
	case f.Percentile != 0:
		return g.TooFew(f.Percentile)
	case f.Chance:
		return ""
	}

	return g.FewOperations()
}

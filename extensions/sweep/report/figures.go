package report

// Figure is one of a step's figures: metrics, outputs, tables, gates and searches name it, read it
// and judge it by what stands here.
type Figure struct {
	// Name is what people call the figure, such as "p99.9".
	Name string
	// Key is the figure's part of names for programs: sweep_p999, p999_ms, p999-ns/op.
	Key string
	// JSON is the path of the figure in a report's step, such as "latencyMs.p999".
	JSON string
	// Percentile is the one that the figure is; zero for the others.
	Percentile Percentile
	// Rate tells that the figure is a number a second: it gets worse when it falls. The others are
	// latencies in milliseconds, which get worse when they rise.
	Rate bool
	// Chance tells that the figure is that of a single operation: nothing is bounded by it but what
	// a threshold of k6 bounds.
	Chance bool
	// Of reads the figure from a step.
	Of func(*Step) float64
}

// Figures are all of them, in the order in which outputs have them.
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

// FigureOf returns the figure of that key; nil where there is none.
func FigureOf(key string) *Figure {
	for i := range Figures {
		if Figures[i].Key == key {
			return &Figures[i]
		}
	}

	return nil
}

// Latencies are the figures that are durations.
func Latencies() (latencies []*Figure) {
	for i := range Figures {
		if !Figures[i].Rate {
			latencies = append(latencies, &Figures[i])
		}
	}

	return latencies
}

// Column is the figure's name in the CSV, with its unit.
func (f *Figure) Column() string {
	if f.Rate {
		return f.Key
	}

	return f.Key + "_ms"
}

// Show writes a value of the figure for people.
func (f *Figure) Show(value float64) string {
	if f.Rate {
		return showRate(value)
	}

	return Millis(value)
}

// Worse returns the worse one of two values of the figure.
func (f *Figure) Worse(a, b float64) float64 {
	if f.Rate {
		return min(a, b)
	}

	return max(a, b)
}

// Keeps tells whether a value is on the right side of a bound.
func (f *Figure) Keeps(value, bound float64) bool { return f.Worse(value, bound) == bound }

// RestsOnLittle says that a step has too few operations, or too little time, for the figure to mean
// anything, or nothing.
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

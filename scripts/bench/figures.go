package main

import "github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"

// figures are the results of one run of a program; 0 if the program does not report them.
type figures struct {
	Rate   float64 `json:"rate"`   // operations per second
	CPU    float64 `json:"cpu"`    // processor time of the program per operation, microseconds
	Server float64 `json:"server"` // processor time of the server per operation, microseconds
	P50    float64 `json:"p50"`    // milliseconds
	P99    float64 `json:"p99"`    // milliseconds

	// operations of the complete run, for a program that does not report processor times.
	operations float64
}

func rate(f figures) float64   { return f.Rate }
func cpu(f figures) float64    { return f.CPU }
func server(f figures) float64 { return f.Server }
func p50(f figures) float64    { return f.P50 }
func p99(f figures) float64    { return f.P99 }

// each returns the figures for one item, if an operation has n.
func (f figures) each(n int) figures {
	f.Rate *= float64(n)
	f.CPU /= float64(n)
	f.Server /= float64(n)

	return f
}

const confidence = 0.95

// ratio estimates k6's figure relative to another program's, from runs of the same rounds. The
// second result is false if fewer than four rounds have both figures.
func ratio(k6, other []figures, figure func(figures) float64) (stats.Estimate, bool) {
	var pairs []stats.Pair
	for i := range min(len(k6), len(other)) {
		if base, change := figure(other[i]), figure(k6[i]); base > 0 && change > 0 {
			pairs = append(pairs, stats.Pair{Base: base, Change: change})
		}
	}
	e, err := stats.OfPairs(pairs, confidence)

	return e, err == nil
}

func median(rounds []figures, figure func(figures) float64) float64 {
	values := make([]float64, 0, len(rounds))
	for _, f := range rounds {
		if f.Rate > 0 {
			values = append(values, figure(f))
		}
	}

	return middle(values)
}

package main

import "github.com/xk6-sweep/xk6-sweep/extensions/sweep/paired"

// figures are what one run of a program came to. A figure that the program does not tell is 0.
type figures struct {
	Rate   float64 `json:"rate"`   // operations a second
	CPU    float64 `json:"cpu"`    // processor time of the program for an operation, microseconds
	Server float64 `json:"server"` // processor time of the server for an operation, microseconds
	P50    float64 `json:"p50"`    // milliseconds
	P99    float64 `json:"p99"`    // milliseconds

	// operations are those of the whole run of a program that does not tell its processor times.
	operations float64
}

// The figures by their columns.
func rate(f figures) float64   { return f.Rate }
func cpu(f figures) float64    { return f.CPU }
func server(f figures) float64 { return f.Server }
func p50(f figures) float64    { return f.P50 }
func p99(f figures) float64    { return f.P99 }

// each returns the figures of the things in an operation that does several.
func (f figures) each(n int) figures {
	f.Rate *= float64(n)
	f.CPU /= float64(n)
	f.Server /= float64(n)

	return f
}

// confidence of the intervals on the page.
const confidence = 0.95

// ratio estimates how a figure of k6 stands to that of another program, from the runs of the same
// rounds. The second result is false where fewer than four rounds have the figure of both.
func ratio(k6, other []figures, figure func(figures) float64) (paired.Estimate, bool) {
	var pairs []paired.Pair
	for i := range min(len(k6), len(other)) {
		if base, change := figure(other[i]), figure(k6[i]); base > 0 && change > 0 {
			pairs = append(pairs, paired.Pair{Base: base, Change: change})
		}
	}
	e, err := paired.Of(pairs, confidence)

	return e, err == nil
}

// median is that of a figure over the rounds.
func median(rounds []figures, figure func(figures) float64) float64 {
	values := make([]float64, 0, len(rounds))
	for _, f := range rounds {
		if f.Rate > 0 { // else the program failed in this round
			values = append(values, figure(f))
		}
	}

	return middle(values)
}

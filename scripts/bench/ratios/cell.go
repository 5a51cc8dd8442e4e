package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// The bounds that k6 has to hold against the native program.
const (
	leastSpeed = 0.95
	mostCPU    = 1.15
)

// figures are what one run of either program came to.
type figures struct {
	OpsPerSecond float64 `json:"opsPerSecond"`
	CPUMicros    float64 `json:"cpuMicrosPerOp"`
	P99Ms        float64 `json:"p99Ms"`
	Failed       int     `json:"failed"`
	Allocations  float64 `json:"allocsPerOp"` // 0 where it is not known
	RowsPerCPU   float64 `json:"-"`           // for a second of processor time; 0 where it is not known

	P50Ms        float64 `json:"p50Ms"`
	ClientSpread float64 `json:"clientSpread"` // the shortest client time over the longest; 0 where it is not known
	ClientWaitMs float64 `json:"-"`            // mean; 0 where it is not known

	// runs are those that these figures are the medians of.
	runs *[]figures
}

// cell holds the medians of both programs for one number of clients.
type cell struct {
	reuse   bool
	clients int
	// collecting is the GOGC of both; nil: each has its own.
	collecting *int
	k6, native figures
}

// alike is a GOGC of both programs. That of 400 is what k6 sets by itself where its heap is small,
// and 100 is Go's default. Before the start line both collect, whatever it is.
func alike(percent int) *int { return &percent }

// measure runs k6 and the native program over the same client library.
func measure(rounds, clients, perClient int, reuse bool, collecting *int) (*cell, error) {
	if collecting != nil {
		if err := os.Setenv("GOGC", strconv.Itoa(*collecting)); err != nil {
			return nil, err
		}
		defer os.Unsetenv("GOGC") //nolint:errcheck // it is there
	}
	k6, native, err := inTurns(rounds,
		func() (figures, error) { return runK6(clients, perClient, reuse) }, nativeRun("native", clients, perClient, reuse))
	if err != nil {
		return nil, fmt.Errorf("%d clients: %w", clients, err)
	}

	return &cell{reuse: reuse, clients: clients, collecting: collecting, k6: k6, native: native}, nil
}

// inTurns runs both programs in turns, each first as often as the other, and returns the medians of
// both.
func inTurns(rounds int, one, other func() (figures, error)) (ones, others figures, err error) {
	medians, err := allInTurns(rounds, one, other)
	if err != nil {
		return figures{}, figures{}, err
	}

	return medians[0], medians[1], nil
}

// allInTurns runs programs in turns, every other round from the last one to the first, and returns
// the medians of each.
func allInTurns(rounds int, programs ...func() (figures, error)) ([]figures, error) {
	kept := make([][]figures, len(programs))
	order := make([]int, len(programs))
	for i := range order {
		order[i] = i
	}
	for range rounds {
		for _, i := range order {
			if err := keep(&kept[i])(programs[i]()); err != nil {
				return nil, err
			}
		}
		slices.Reverse(order)
	}
	medians := make([]figures, 0, len(programs))
	for _, runs := range kept {
		medians = append(medians, median(runs))
	}

	return medians, nil
}

// keep appends a run's figures to a list. A run with failures proves nothing.
func keep(list *[]figures) func(figures, error) error {
	return func(f figures, err error) error {
		if err == nil && f.Failed > 0 {
			err = fmt.Errorf("%d operations failed", f.Failed)
		}
		*list = append(*list, f)

		return err
	}
}

// median takes the median of each figure on its own.
func median(runs []figures) figures {
	of := func(figure func(figures) float64) float64 {
		values := make([]float64, 0, len(runs))
		for _, run := range runs {
			values = append(values, figure(run))
		}

		return middle(values)
	}

	return figures{
		runs:         &runs,
		OpsPerSecond: of(func(f figures) float64 { return f.OpsPerSecond }),
		CPUMicros:    of(func(f figures) float64 { return f.CPUMicros }),
		P99Ms:        of(func(f figures) float64 { return f.P99Ms }),
		Allocations:  of(func(f figures) float64 { return f.Allocations }),
		RowsPerCPU:   of(func(f figures) float64 { return f.RowsPerCPU }),
		P50Ms:        of(func(f figures) float64 { return f.P50Ms }),
		ClientSpread: of(func(f figures) float64 { return f.ClientSpread }),
		ClientWaitMs: of(func(f figures) float64 { return f.ClientWaitMs }),
	}
}

// middle is the median of values, of which there is at least one. It sorts them.
func middle(values []float64) float64 {
	slices.Sort(values)
	at := len(values) / 2
	if len(values)%2 == 1 {
		return values[at]
	}

	return (values[at-1] + values[at]) / 2
}

func (c *cell) speed() bounded { return bounded{c.k6.over(c.native, rate), atLeast(leastSpeed)} }
func (c *cell) cpu() bounded   { return bounded{c.k6.over(c.native, processor), atMost(mostCPU)} }

// holds looks at the rate where clients together keep the processors at work. One alone leaves them
// idle: its rate is that of the server's answers.
func (c *cell) holds() bool {
	return noneCrossed(c.cpu()) && (c.clients == 1 || noneCrossed(c.speed()))
}

// String is the cell as a line of the table.
func (c *cell) String() string {
	speed := c.speed().String()
	if c.clients == 1 {
		speed = c.speed().ratio.String()
	}

	collecting := "own"
	if c.collecting != nil {
		collecting = strconv.Itoa(*c.collecting)
	}

	return fmt.Sprintf("| %-5s | %-4s | %7d | %8.0f | %12.0f | %-40s | %8.1f | %12.1f | %-40s | %9.2f | %10.2f |",
		onOff(c.reuse), collecting, c.clients, c.k6.OpsPerSecond, c.native.OpsPerSecond, speed,
		c.k6.CPUMicros, c.native.CPUMicros, c.cpu(), c.k6.P99Ms, c.native.P99Ms)
}

package main

import "slices"

// figures are those of one run of a program, or the medians of several. What a program does not
// tell is 0.
type figures struct {
	OpsPerSecond float64 `json:"opsPerSecond"`
	CPUMicros    float64 `json:"cpuMicrosPerOp"`
	P50Ms        float64 `json:"p50Ms"`
	P99Ms        float64 `json:"p99Ms"`
	Failed       int     `json:"failed"`
	Allocations  float64 `json:"allocsPerOp"`
	// RowsPerCPU is the rows for a second of processor time.
	RowsPerCPU float64 `json:"rowsPerCPU"`
	// ClientSpread is the shortest client time over the longest.
	ClientSpread float64 `json:"clientSpread"`
	// ClientWaitMs is a mean.
	ClientWaitMs float64 `json:"clientWaitMs"`
	// MemoryMB is the largest resident memory of the process.
	MemoryMB float64 `json:"memoryMB"`
	// ServerMicros is the processor time of the server, for one operation.
	ServerMicros float64 `json:"serverMicrosPerOp"`
	// LockMicros is for how long goroutines waited for locks, for one operation.
	LockMicros float64 `json:"lockMicrosPerOp"`

	// runs are those that these figures are the medians of.
	runs *[]figures
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
		OpsPerSecond: of(rate),
		CPUMicros:    of(processor),
		P50Ms:        of(p50),
		P99Ms:        of(p99),
		Allocations:  of(func(f figures) float64 { return f.Allocations }),
		RowsPerCPU:   of(func(f figures) float64 { return f.RowsPerCPU }),
		ClientSpread: of(spread),
		ClientWaitMs: of(func(f figures) float64 { return f.ClientWaitMs }),
		MemoryMB:     of(func(f figures) float64 { return f.MemoryMB }),
		ServerMicros: of(serverTime),
		LockMicros:   of(locks),
	}
}

// The figures that are compared.
func rate(f figures) float64       { return f.OpsPerSecond }
func processor(f figures) float64  { return f.CPUMicros }
func p50(f figures) float64        { return f.P50Ms }
func p99(f figures) float64        { return f.P99Ms }
func spread(f figures) float64     { return f.ClientSpread }
func serverTime(f figures) float64 { return f.ServerMicros }
func locks(f figures) float64      { return f.LockMicros }

// middle is the median of values, of which there is at least one. It sorts them.
func middle(values []float64) float64 {
	slices.Sort(values)
	at := len(values) / 2
	if len(values)%2 == 1 {
		return values[at]
	}

	return (values[at-1] + values[at]) / 2
}

// each turns the figures of operations that are a batch into those of what is in it.
func (f figures) each(batch int) figures {
	f.OpsPerSecond *= float64(batch)
	f.CPUMicros /= float64(batch)
	f.ServerMicros /= float64(batch)
	f.LockMicros /= float64(batch)
	f.Allocations /= float64(batch)

	return f
}

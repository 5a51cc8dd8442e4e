package measure

import "fmt"

// A heat counter covers heatOf counters of a coarse histogram, so an octave has 8.
const (
	heatOf       = 4
	heatCounters = coarseCounters / heatOf
)

// Heat returns for each slot the number of its first heat counter that is not zero, and the counts
// from there on. A slot without durations has an empty list.
func (o *OverTime) Heat() [][]uint64 {
	heat := make([][]uint64, len(o.Slots))
	for slot := range o.Slots {
		run := []uint64{}
		o.Slots[slot].each(func(i int, n uint64) {
			at := i / heatOf
			if len(run) == 0 {
				run = append(run, uint64(at))
			}
			for len(run)-2 < at-int(run[0]) {
				run = append(run, 0)
			}
			run[len(run)-1] += n
		})
		heat[slot] = run
	}

	return heat
}

// ReadHeat reads the output of Heat.
func ReadHeat(heat [][]uint64) ([]Slot, error) {
	slots := make([]Slot, len(heat))
	for slot, run := range heat {
		if len(run) == 0 {
			continue
		}
		first, counts := run[0], run[1:]
		if first > heatCounters || len(counts) > heatCounters-int(first) {
			return nil, fmt.Errorf("slot %d has %d counters from %d on, and there are %d", slot, len(counts), first, heatCounters)
		}
		for _, n := range counts {
			if n > maxCount {
				return nil, fmt.Errorf("slot %d has a count of %d", slot, n)
			}
		}
		slots[slot].counts = packCounters(func(fn func(i int, n uint64)) {
			for i, n := range counts {
				if n > 0 {
					fn((int(first)+i)*heatOf+heatOf-1, n) // its slowest counter, so that quantiles are never too low
				}
			}
		})
	}

	return slots, nil
}

package host

import (
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

type slots struct {
	every time.Duration
	all   []slot
}

type slot struct {
	length time.Duration
	// processors is 0 if unknown.
	processors                           float64
	idle, stolen, interrupts, k6, server time.Duration
	pauses, late                         time.Duration
	operations                           float64
}

func (s *slots) due(elapsed time.Duration) bool {
	return elapsed >= time.Duration(len(s.all)+1)*s.every
}

func slotOf(from, to *reading, late time.Duration) slot {
	one := slot{
		length: to.at.Sub(from.at),
		k6:     to.k6 - from.k6, server: max(to.server-from.server, 0), pauses: to.pauses - from.pauses, late: late,
		operations: float64(to.operations - min(from.operations, to.operations)),
	}
	if from.machine != nil && to.machine != nil {
		one.processors = float64(to.machine.processors)
		one.idle = to.machine.idle - from.machine.idle
		one.stolen = to.machine.stolen - from.machine.stolen
		one.interrupts = to.machine.interrupts - from.machine.interrupts
	}

	return one
}

// add adds the slot up to elapsed. If k6 was late and the slot is longer than one, add divides it;
// it drops less than half a slot.
func (s *slots) add(one slot, elapsed time.Duration) {
	missing := func() int { return int((elapsed+s.every/2)/s.every) - len(s.all) }
	for len(s.all)+missing() > mostSlots {
		s.halve()
	}
	n := missing()
	for range n {
		s.all = append(s.all, one.part(n))
	}
	if len(s.all) == mostSlots {
		s.halve()
	}
}

// halve merges pairs of slots; an odd last one stays.
func (s *slots) halve() {
	half := s.all[:0]
	for i := 0; i < len(s.all); i += 2 {
		one := s.all[i]
		if i+1 < len(s.all) {
			one = one.and(s.all[i+1])
		}
		half = append(half, one)
	}
	s.all = half
	s.every *= 2
}

func (s slot) part(n int) slot {
	d := time.Duration(n)
	s.length, s.idle, s.stolen, s.interrupts = s.length/d, s.idle/d, s.stolen/d, s.interrupts/d
	s.k6, s.server, s.pauses = s.k6/d, s.server/d, s.pauses/d
	s.operations /= float64(n)

	return s
}

func (s slot) and(next slot) slot {
	s.length += next.length
	s.processors = min(s.processors, next.processors) // 0 if one is unknown
	s.idle += next.idle
	s.stolen += next.stolen
	s.interrupts += next.interrupts
	s.k6 += next.k6
	s.server += next.server
	s.pauses += next.pauses
	s.late = max(s.late, next.late)
	s.operations += next.operations

	return s
}

// others returns the time used by neither k6 nor the server. It may be wrong by some hundredths of
// a second, even negative, because the kernel counts in ticks.
func (s *slot) others() time.Duration {
	whole := time.Duration(s.processors * float64(s.length))

	return whole - s.idle - s.stolen - s.interrupts - s.k6 - s.server
}

// share returns d as a share of the machine's time in the slot.
func (s *slot) share(d time.Duration) float64 {
	return d.Seconds() / (s.processors * s.length.Seconds())
}

// others returns the processors used by neither k6 nor the server, and the part of them while
// nothing was idle.
func (s *slots) others() (all, disturbing float64) {
	var spent, full, length time.Duration
	for i := range s.all {
		one := &s.all[i]
		if one.unknown() {
			continue
		}
		length += one.length
		spent += one.others()
		if one.idle.Seconds() <= fullSlot*one.processors*one.length.Seconds() {
			full += one.others()
		}
	}
	if length == 0 {
		return 0, 0
	}

	return max(spent, 0).Seconds() / length.Seconds(), max(full, 0).Seconds() / length.Seconds()
}

// counts returns the operations per slot within a time from the start line.
func (s *slots) counts(within time.Duration) (counts []float64) {
	for i := range min(len(s.all), int(within/s.every)) {
		counts = append(counts, s.all[i].operations)
	}

	return counts
}

// unknown reports whether the machine could not be read, for example because k6 had no free file.
func (s *slot) unknown() bool { return s.processors == 0 }

// overTime returns the evidence over time; nil without complete readings. server reports whether
// the server's processes are known.
func (s *slots) overTime(server bool) *report.WitnessOverTime {
	if len(s.all) == 0 {
		return nil
	}
	for i := range s.all {
		if s.all[i].unknown() {
			return nil
		}
	}
	o := &report.WitnessOverTime{EverySeconds: s.every.Seconds()}
	for i := range s.all {
		one := &s.all[i]
		part := func(d time.Duration) float64 { return min(max(one.share(d), 0), 1) }
		o.Idle = append(o.Idle, rounded(part(one.idle)))
		o.K6 = append(o.K6, rounded(part(one.k6)))
		o.Stolen = append(o.Stolen, rounded(part(one.stolen)))
		if server {
			o.Server = append(o.Server, rounded(part(one.server)))
			o.Others = append(o.Others, rounded(part(one.others())))
		}
		o.GCPauseMs = append(o.GCPauseMs, rounded(report.Ms(one.pauses)))
		o.LateMs = append(o.LateMs, rounded(report.Ms(one.late)))
	}

	return o
}

// rounded rounds to four decimals.
func rounded(v float64) float64 { return math.Round(v*1e4) / 1e4 }

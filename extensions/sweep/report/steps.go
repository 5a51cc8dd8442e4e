package report

import (
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// NewSteps returns the report's steps from the final reading of a step, one for each kind of
// operation. asked has the parameters. op names a step without operations.
func NewSteps(reading *measure.Reading, asked Step, op string, cpu CPUSeconds) []Step {
	ops := reading.Ops
	if len(ops) == 0 {
		ops = []measure.Totals{{Op: op}}
	}
	clients := newClients(reading)
	steps := make([]Step, len(ops))
	for i := range ops {
		steps[i] = newStep(reading, &ops[i], asked, clients, cpu)
	}

	return steps
}

func newStep(reading *measure.Reading, t *measure.Totals, asked Step, clients Clients, cpu CPUSeconds) Step {
	s := Step{
		Clients: asked.Clients, Rate: asked.Rate, Repeat: asked.Repeat, PerClient: asked.PerClient,
		Variant: asked.Variant, Op: t.Op,
		Operations: t.Durations.Count, Failed: t.Failed, Complete: reading.Complete, TooShort: reading.TooShort,
		Started:      reading.StartedOn.UTC(),
		Seconds:      timeOf(reading, t).Seconds(),
		OpsPerSecond: OpsPerSecond(reading, t),
		Window:       newWindow(reading, t),
		AllClients:   newAllClients(reading, t),
		Client:       clients,
		Latency:      Latency(&t.Durations),
		OpenLoop:     newOpenLoop(reading), FailedLatency: newFailedLatency(&t.Failures),
		ClientWait: newAnswers(&reading.ClientWait), Requests: newAnswers(&reading.Requests), Standstill: newStandstill(reading.Standstill),
		OverTime: newOverTime(t.OverTime, reading.Elapsed), Slowest: newSlowest(t.OverTime), Intervals: newIntervals(reading, t),
		Rows: t.Rows, BytesSent: t.BytesSent, BytesReceived: t.BytesReceived,
		CPU:       cpu,
		Histogram: t.Durations.Encode(),
		Extra:     Extra{Errors: t.Errors, Unstarted: reading.Unstarted},
	}
	if t.Shared > 0 {
		s.Timed = t.Timings()
	}
	s.Extra.count(reading.Counters)
	if t.Variant != measure.NoVariant {
		s.Variant = string(t.Variant)
		s.PerClient = 0 // the variants share it
	}

	return s
}

func newClients(reading *measure.Reading) Clients {
	times, ops := &reading.ClientTimes, &reading.ClientOps

	return Clients{
		Min: times.Min.Seconds(), Max: times.Max.Seconds(), Avg: times.Mean().Seconds(),
		P25: times.Quantile(0.25).Seconds(), P50: times.Quantile(0.5).Seconds(), P75: times.Quantile(0.75).Seconds(),
		Ops: ClientOps{
			Min: int64(ops.Min), Max: int64(ops.Max),
			P25: int64(ops.Quantile(0.25)), P50: int64(ops.Quantile(0.5)), P75: int64(ops.Quantile(0.75)),
			Histogram: ops.Encode(),
		},
		Histogram: times.Encode(),
	}
}

func (c *Clients) decode() (times, each measure.Distribution, err error) {
	if times, err = measure.Decode(c.Histogram); err != nil {
		return times, each, fmt.Errorf("client.histogram: %w", err)
	}
	if each, err = measure.Decode(c.Ops.Histogram); err != nil {
		return times, each, fmt.Errorf("client.ops.histogram: %w", err)
	}

	return times, each, nil
}

// Rate returns operations per second; zero if no time has passed.
func Rate(n int64, elapsed time.Duration) float64 {
	if elapsed <= 0 {
		return 0
	}

	return float64(n) / elapsed.Seconds()
}

// Latency returns the percentiles of a distribution in milliseconds.
func Latency(d *measure.Distribution) LatencyMs {
	return LatencyMs{
		P50:  Ms(d.Quantile(0.5)),
		P90:  Ms(d.Quantile(0.9)),
		P95:  Ms(d.Quantile(0.95)),
		P99:  Ms(d.Quantile(0.99)),
		P999: Ms(d.Quantile(0.999)),
		Max:  Ms(d.Max),
		Mean: Ms(d.Mean()),
	}
}

// addDurations adds the durations of a histogram, with their maximum and mean in milliseconds.
func addDurations(whole *measure.Distribution, histogram string, highest, mean float64) error {
	d, err := measure.Decode(histogram)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	d.SetExact(nanoseconds(highest, time.Millisecond), nanoseconds(mean, time.Millisecond))
	whole.Merge(&d)

	return nil
}

// Ms converts a duration to milliseconds.
func Ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// Cache describes the memory use of a cache server, for comparing its hits with other caches.
type Cache struct {
	Memory      int64 // memory limit in bytes
	AverageItem int64 // key and value, bytes
	Peak        int64 // peak resident memory of its processes, bytes; 0: unknown
	// PeakSince is when the measurement of Peak began; zero: at the start of the processes.
	PeakSince time.Time
}

// count stores counters. A cache's counters have their own keys and rates.
func (e *Extra) count(counted measure.Counters) {
	for name, n := range counted {
		switch name {
		case measure.Hits:
			e.Hits = n
		case measure.Misses:
			e.Misses = n
		case measure.Hot:
			e.Hot = n
		case measure.HotHits:
			e.HotHits = n
		default:
			if e.Counters == nil {
				e.Counters = measure.Counters{}
			}
			e.Counters[name] = n
		}
	}
	if asked := e.Hits + e.Misses; asked > 0 {
		rate := percent(e.Hits, asked)
		e.HitRate = &rate
	}
	if e.Hot > 0 {
		rate := percent(e.HotHits, e.Hot)
		e.HotHitRate = &rate
	}
}

func (e *Extra) counters() measure.Counters {
	cache := measure.Counters{measure.Hits: e.Hits, measure.Misses: e.Misses, measure.Hot: e.Hot, measure.HotHits: e.HotHits}

	return measure.Counters(nil).Plus(cache).Plus(e.Counters)
}

// Weigh adds the published benchmark's figures to a step: output in MiB/s and, if the peak memory
// is known, hits scaled by memory.
func (s *Step) Weigh(c Cache) {
	e := &s.Extra
	if e.HitRate == nil {
		return
	}
	perSecond := 0.0
	if s.Seconds > 0 {
		perSecond = float64(e.Hits) / s.Seconds
	}
	const bits, mebi = 8, 1 << 20
	out := perSecond * float64(c.AverageItem) * bits / mebi
	e.OutMibPerSecond = &out
	if c.Peak == 0 {
		return
	}
	e.VMHWMBytes = uint64(c.Peak)
	if !c.PeakSince.IsZero() {
		since := c.PeakSince.UTC().Truncate(time.Millisecond)
		e.VMHWMSince = &since
	}
	rate, perSecondMem := c.perMemory(*e.HitRate), c.perMemory(perSecond)
	e.PerMemoryHitRate, e.HitsPerSecondMem = &rate, &perSecondMem
}

// perMemory scales a figure by limit/peak if the server used more memory than its limit.
func (c *Cache) perMemory(figure float64) float64 {
	return figure * float64(c.Memory) / float64(max(c.Peak, c.Memory))
}

func percent(part, of uint64) float64 { return float64(part) / float64(of) * 100 }

// TotalOp is the operation of the rows that WithTotals adds.
const TotalOp = "(total)"

// WithTotals returns the steps as tables show them, with a total after each step with several kinds
// of operations. The total has the percentiles of all operations. There is no total if the kinds
// have separate times, or in a report of -o sweep.
func (r *Report) WithTotals() []*Step {
	steps := make([]*Step, 0, len(r.Steps))
	for first := 0; first < len(r.Steps); {
		next := first + 1
		for next < len(r.Steps) && SameStep(&r.Steps[next-1], &r.Steps[next]) {
			next++
		}
		for i := first; i < next; i++ {
			steps = append(steps, &r.Steps[i])
		}
		if r.Script == nil {
			if total := totalOf(r.Steps[first:next]); total != nil {
				steps = append(steps, total)
			}
		}
		first = next
	}

	return steps
}

// HasTotal reports whether tables have a row for the total of the step's kinds of operations.
func (r *Report) HasTotal(s *Step) bool {
	var kinds []Step
	for i := range r.Steps {
		switch other := &r.Steps[i]; {
		case !sameNumbers(other, s):
		case other.Op == TotalOp:
			return true
		case other.Seconds != s.Seconds:
			return false
		default:
			kinds = append(kinds, *other)
		}
	}

	return r.Script == nil && len(kinds) > 1
}

// totalOf returns the total of a step's kinds of operations, or nil.
func totalOf(kinds []Step) *Step {
	if len(kinds) < 2 {
		return nil
	}
	one := &kinds[0] // common to all kinds
	total := &Step{
		Clients: one.Clients, Rate: one.Rate, Repeat: one.Repeat, PerClient: one.PerClient, Variant: one.Variant, Op: TotalOp,
		Complete: one.Complete, TooShort: one.TooShort, Started: one.Started, Overlap: one.Overlap,
		Seconds: one.Seconds, Client: one.Client, CPU: one.CPU, OpenLoop: one.OpenLoop, ClientWait: one.ClientWait, Requests: one.Requests,
		Extra: one.Extra, Witness: one.Witness, Standstill: one.Standstill,
	}
	total.Extra.Errors = nil
	var durations measure.Distribution
	shared := false
	for i := range kinds {
		s := &kinds[i]
		if s.Seconds != total.Seconds {
			return nil
		}
		if addDurations(&durations, s.Histogram, s.Latency.Max, s.Latency.Mean) != nil {
			return nil
		}
		total.Operations += s.Operations
		shared = shared || s.Timed > 0
		total.Timed = max(total.Timed, s.Timings()) // kinds of one pipeline share its duration
		total.Failed += s.Failed
		total.Rows += s.Rows
		total.BytesSent += s.BytesSent
		total.BytesReceived += s.BytesReceived
		total.OpsPerSecond += s.OpsPerSecond
		total.Window = total.Window.plus(s.Window)
		total.AllClients = total.AllClients.plus(s.AllClients)
	}
	if !shared {
		total.Timed = 0
	}
	total.Latency = Latency(&durations)

	return total
}

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

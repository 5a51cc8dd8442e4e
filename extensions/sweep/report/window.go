package report

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// Window has the operations of a step with a duration: those in the duration, and those in the
// tail, when clients finish their last operations.
type Window struct {
	Seconds     float64 `json:"seconds"`
	Ops         int64   `json:"ops"`         // successful operations in the window
	TailSeconds float64 `json:"tailSeconds"` // from the window's end to the last client's end
	TailOps     int64   `json:"tailOps"`     // successful operations in the tail
}

// AllClients is the part of a step with all clients at work: from the start line to the first
// client's end.
type AllClients struct {
	Seconds      float64 `json:"seconds"`
	Ops          int64   `json:"ops"` // successful operations in it
	OpsPerSecond float64 `json:"opsPerSecond"`
}

func newWindow(reading *measure.Reading, t *measure.Totals) *Window {
	if reading.Window == 0 {
		return nil
	}

	return &Window{
		Seconds: reading.Window.Seconds(), Ops: t.Within,
		TailSeconds: (reading.Elapsed - reading.Window).Seconds(), TailOps: t.Durations.Count - t.Within,
	}
}

func newAllClients(reading *measure.Reading, t *measure.Totals) *AllClients {
	if reading.AllAtWork == 0 {
		return nil
	}

	return &AllClients{
		Seconds: reading.AllAtWork.Seconds(), Ops: t.Within, OpsPerSecond: Rate(t.Within, reading.AllAtWork),
	}
}

func (w *Window) plus(other *Window) *Window {
	if w == nil || other == nil {
		return other
	}
	sum := *other
	sum.Ops += w.Ops
	sum.TailOps += w.TailOps

	return &sum
}

func (a *AllClients) plus(other *AllClients) *AllClients {
	if a == nil || other == nil {
		return other
	}
	sum := *other
	sum.Ops += a.Ops
	sum.OpsPerSecond += a.OpsPerSecond

	return &sum
}

// OpsPerSecond returns the rate of one kind of operation. With a duration: operations that ended in
// the window, divided by it. Else all operations divided by the step time.
func OpsPerSecond(reading *measure.Reading, t *measure.Totals) float64 {
	if reading.Window != 0 {
		return Rate(t.Within, reading.Window)
	}

	return Rate(t.Durations.Count, timeOf(reading, t))
}

// timeOf returns the step time or, for a duet's variant, the time for which its clients worked.
func timeOf(reading *measure.Reading, t *measure.Totals) time.Duration {
	if t.Variant != measure.NoVariant {
		return t.Time
	}

	return reading.Elapsed
}

func (s *Step) rated() (operations int64, seconds float64) {
	if s.Window != nil {
		return s.Window.Ops, s.Window.Seconds
	}

	return s.Operations, s.Seconds
}

// Standstill describes pauses of a step: times in which no operation of any kind ended while all
// clients were busy.
type Standstill struct {
	// LongestMs is the longest pause, to 10 ms; 0: less than 20 ms.
	LongestMs float64 `json:"longestMs"`
	// Part is the share of the step in pauses that slow operations do not explain, 0 to 1: see
	// measure.Standstill.
	Part float64 `json:"part"`
}

// mostStill is the share beyond which latencies hide the waiting: each client has one slow
// operation, which no percentile shows.
const mostStill = 0.1

func newStandstill(from *measure.Standstill) *Standstill {
	if from == nil {
		return nil
	}

	return &Standstill{LongestMs: Ms(from.Longest), Part: from.Part}
}

// and combines two parts of a step: a pause counts if both paused.
func (s *Standstill) and(part *Standstill) *Standstill {
	if s == nil || part == nil {
		return nil
	}

	return &Standstill{LongestMs: min(s.LongestMs, part.LongestMs), Part: min(s.Part, part.Part)}
}

// StoodStill returns a sentence if pauses make up a tenth of the step, else "".
func (s *Step) StoodStill() string {
	if s.Standstill == nil || s.Standstill.Part <= mostStill {
		return ""
	}

	return fmt.Sprintf("it stood still for %.0f %% of the time: no operation ended for up to %s",
		100*s.Standstill.Part, Span(s.Standstill.LongestMs/1000))
}

// Hidden returns the outcome of a gate on the figure, and a reason, if the figure hides waiting. A
// latency is crossed if the server stood still. It is undecided if k6 stood still as well, or
// started too many operations late. Otherwise the outcome is held, without a reason.
func (f *Figure) Hidden(g *Group) (outcome stats.Outcome, why string) {
	outcome = stats.Held
	if g == nil {
		return outcome, ""
	}
	for _, s := range g.Steps {
		still, late := s.StoodStill(), s.LateByK6()
		switch {
		case f == &LongestStandstill:
			if s.Standstill == nil {
				return stats.Undecided, "nobody knows how long the step stood still"
			}
		case f.Rate:
		case still != "" && s.LimitedBy() != witness.K6Itself && (s.Witness == nil || !witness.Evidence(s.Witness.Evidence).StillByK6()):
			return stats.Crossed, still
		case still != "":
			outcome, why = stats.Undecided, still+", and so did k6"
		case late != "":
			outcome, why = stats.Undecided, late
		}
	}

	return outcome, why
}

// LongestStandstill is a figure for gates only.
var LongestStandstill = Figure{ //nolint:gochecknoglobals // a constant
	Name: "standstill", Key: "standstill", JSON: "standstill", Of: func(s *Step) float64 {
		if s.Standstill == nil {
			return 0
		}

		return s.Standstill.LongestMs
	},
}

// OpenLoop describes how an open-loop step met its rate, for all kinds of operations. Its window is
// the time in which operations were due.
type OpenLoop struct {
	Due          uint64     `json:"due"`          // operations due in the window
	Started      uint64     `json:"started"`      // operations started in the window
	AchievedRate float64    `json:"achievedRate"` // Started per second
	LongestQueue uint64     `json:"longestQueue"` // most operations waiting for a free client
	AllBusy      float64    `json:"allBusy"`      // share of the window with no free client, 0 to 1
	InTime       float64    `json:"inTime"`       // share of Due that started in time: see measure.StartBound
	LateByK6     float64    `json:"lateByK6"`     // share that k6 started late although a client was free
	Lateness     LatenessMs `json:"latenessMs"`
}

// LatenessMs is the time from due to start of operations, in milliseconds. It is part of the
// latency.
type LatenessMs struct {
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

func newOpenLoop(reading *measure.Reading) *OpenLoop {
	from := reading.OpenLoop
	if from == nil {
		return nil
	}
	o := &OpenLoop{
		Due: from.Due, Started: from.Started, LongestQueue: from.LongestQueue,
		AchievedRate: Rate(int64(from.Started), reading.Window), InTime: from.InTime, LateByK6: from.LateByK6,
		Lateness: LatenessMs{
			P50: Ms(from.Lateness.Quantile(0.5)), P99: Ms(from.Lateness.Quantile(0.99)), Max: Ms(from.Lateness.Max),
			Histogram: from.Lateness.Encode(),
		},
	}
	if reading.Window > 0 {
		o.AllBusy = min(float64(from.AllBusy)/float64(reading.Window), 1)
	}

	return o
}

// mostLate is the share of operations that k6 may start late. Beyond it, latencies are not the
// server's.
const mostLate = 0.01

// LateByK6 returns a sentence if k6 started too many operations late, else "".
func (s *Step) LateByK6() string {
	if s.OpenLoop == nil || s.OpenLoop.LateByK6 <= mostLate {
		return ""
	}

	return fmt.Sprintf("k6 itself started %.3g %% of the operations late", 100*s.OpenLoop.LateByK6)
}

// showsLateness reports whether the lateness matters for the latencies.
func (s *Step) showsLateness() bool {
	const part = 0.1

	return s.OpenLoop != nil && s.OpenLoop.Lateness.P99 > part*s.Latency.P99
}

// mostBusy is the share of a step that may have no free client. Beyond it, operations wait for
// clients, not only for the server.
const mostBusy = 0.1

// atItsLimit reports whether an open loop had too few clients.
func (s *Step) atItsLimit() bool { return s.OpenLoop != nil && s.OpenLoop.AllBusy > mostBusy }

func (s *Step) serviceMs() float64 {
	lateness, err := measure.Decode(s.OpenLoop.Lateness.Histogram)
	if err != nil {
		return 0
	}

	return max(s.Latency.Mean-Ms(lateness.Mean()), 0)
}

// busyNote describes an open loop with too few clients, and how many would be enough: by Little's
// law, rate x service time are busy on average. If k6 was late, more clients would not help. It is
// "" for other steps.
func (s *Step) busyNote() string {
	if !s.atItsLimit() {
		return ""
	}
	service := s.serviceMs()
	const room = 2 // margin for slow operations and bursts
	enough := max(room*s.Clients, int(math.Ceil(room*s.Rate*service/1000)))

	note := fmt.Sprintf("all clients were busy for %.0f %% of the time, and up to %s that were due waited for one; "+
		"an operation took %s on average once it had begun.",
		100*s.OpenLoop.AllBusy, Counted(int64(s.OpenLoop.LongestQueue), "operation"), Millis(service))
	if s.LateByK6() != "" {
		return note
	}

	return note + fmt.Sprintf(" Give it more clients, such as preAllocatedVUs: %d, or a lower rate.", enough)
}

// mergeOpenLoops adds up the parts' open loops, for a reading with a known window. It uses upper
// bounds: the sum of the queues, and the least busy part for AllBusy. Each part has judged its own
// lateness.
func mergeOpenLoops(reading *measure.Reading, parts []stepsByRun, id runID) error {
	var all []*OpenLoop
	for _, part := range parts {
		if steps := part[id]; len(steps) > 0 {
			if steps[0].OpenLoop == nil {
				return nil
			}
			all = append(all, steps[0].OpenLoop)
		}
	}
	whole := &measure.OpenLoop{AllBusy: reading.Window}
	for i, o := range all {
		lateness, err := measure.Decode(o.Lateness.Histogram)
		if err != nil {
			return fmt.Errorf("part %d: openLoop.latenessMs.histogram: %w", i+1, err)
		}
		if lateness.Count > 0 {
			lateness.SetExact(nanoseconds(o.Lateness.Max, time.Millisecond), lateness.Mean())
		}
		if due := float64(o.Due); o.Due > 0 {
			part := due / (float64(whole.Due) + due)
			whole.InTime += part * (o.InTime - whole.InTime)
			whole.LateByK6 += part * (o.LateByK6 - whole.LateByK6)
		}
		whole.Due += o.Due
		whole.Started += o.Started
		whole.LongestQueue += o.LongestQueue
		whole.AllBusy = min(whole.AllBusy, time.Duration(o.AllBusy*float64(reading.Window)))
		whole.Lateness.Merge(&lateness)
	}
	reading.OpenLoop = whole

	return nil
}

// missed returns a sentence if the step missed its rate, else "".
func (s *Step) missed() string {
	o := s.OpenLoop
	if o == nil || float64(o.Started) >= measure.KeptRate*float64(o.Due) && s.Extra.Unstarted == 0 {
		return ""
	}

	return fmt.Sprintf("asked %s, served %s (%s of %s operations started in that time)",
		perSecond(s.Rate), perSecond(o.AchievedRate), Thousands(int64(o.Started)), Thousands(int64(o.Due)))
}

// Flaw returns in a few words why a step is incomplete; "" if it is complete. Incomplete has the
// figures.
func (s *Step) Flaw() string {
	switch {
	case s.Complete:
		return ""
	case s.TooShort != nil:
		return "too short"
	case s.missed() != "":
		return "rate not kept"
	default:
		return "incomplete"
	}
}

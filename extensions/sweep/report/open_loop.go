package report

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

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

package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// OpenLoop is how an open-loop step kept its rate, all kinds of operations together. Its window is
// the time for which operations were asked for.
type OpenLoop struct {
	Due          uint64     `json:"due"`          // operations that were due in the window
	Started      uint64     `json:"started"`      // operations that started in the window
	AchievedRate float64    `json:"achievedRate"` // operations a second that started in the window
	LongestQueue uint64     `json:"longestQueue"` // the most operations that were due when no client was free
	AllBusy      float64    `json:"allBusy"`      // the part of the window, 0 to 1, in which no client was free
	InTime       float64    `json:"inTime"`       // the part of what was due that started in time: see measure.StartBound
	LateByK6     float64    `json:"lateByK6"`     // the part for which a client was free, and which k6 did not start in time
	Lateness     LatenessMs `json:"latenessMs"`
}

// LatenessMs is how late operations started, in milliseconds: from when they were due, whoever was
// late. Latency has it in it.
type LatenessMs struct {
	P50       float64 `json:"p50"`
	P99       float64 `json:"p99"`
	Max       float64 `json:"max"`
	Histogram string  `json:"histogram"` // HDR histogram of ns, V2 compressed, base64
}

// newOpenLoop returns nil for a step that is none.
func newOpenLoop(reading *measure.Reading) (*OpenLoop, error) {
	from := reading.OpenLoop
	if from == nil {
		return nil, nil //nolint:nilnil // a step without a rate has none
	}
	histogram, err := from.Lateness.Encode()
	if err != nil {
		return nil, fmt.Errorf("lateness: %w", err)
	}
	o := &OpenLoop{
		Due: from.Due, Started: from.Started, LongestQueue: from.LongestQueue,
		AchievedRate: Rate(int64(from.Started), reading.Window), InTime: from.InTime, LateByK6: from.LateByK6,
		Lateness: LatenessMs{
			P50: Ms(from.Lateness.Quantile(0.5)), P99: Ms(from.Lateness.Quantile(0.99)), Max: Ms(from.Lateness.Max),
			Histogram: histogram,
		},
	}
	if reading.Window > 0 {
		o.AllBusy = min(float64(from.AllBusy)/float64(reading.Window), 1)
	}

	return o, nil
}

// mostLate is the part of the operations of a step that k6 itself may start late: with more, its
// latencies are not the server's.
const mostLate = 0.01

// LateByK6 says that k6 itself started too many of the step's operations late, or nothing.
func (s *Step) LateByK6() string {
	if s.OpenLoop == nil || s.OpenLoop.LateByK6 <= mostLate {
		return ""
	}

	return fmt.Sprintf("k6 itself started %.3g %% of the operations late", 100*s.OpenLoop.LateByK6)
}

// showsLateness tells whether operations started so late that readers of latencies have to know.
func (s *Step) showsLateness() bool {
	const part = 0.1

	return s.OpenLoop != nil && s.OpenLoop.Lateness.P99 > part*s.Latency.P99
}

// mostBusy is the part of an open-loop step in which no client may be free: with more, operations
// wait for a client and not for the server alone.
const mostBusy = 0.1

// atItsLimit reports whether the clients of an open loop were too few to start operations in time.
func (s *Step) atItsLimit() bool { return s.OpenLoop != nil && s.OpenLoop.AllBusy > mostBusy }

// serviceMs is how long an operation took on average once it had begun.
func (s *Step) serviceMs() float64 {
	lateness, err := measure.Decode(s.OpenLoop.Lateness.Histogram)
	if err != nil {
		return 0
	}

	return max(s.Latency.Mean-Ms(lateness.Mean()), 0)
}

// busyNote says of an open loop at its limit how busy its clients were, and how many clients would
// have been enough; "" for any other step. By Little's law rate x service are at work at a time.
func (s *Step) busyNote() string {
	if !s.atItsLimit() {
		return ""
	}
	service := s.serviceMs()
	const room = 2 // for operations that take longer than the mean, and for bursts
	enough := max(room*s.Clients, int(math.Ceil(room*s.Rate*service/1000)))

	return fmt.Sprintf("all clients were busy for %.0f %% of the time, and up to %s that were due waited for one; "+
		"an operation took %s on average once it had begun. Give it more clients, such as preAllocatedVUs: %d, or a lower rate.",
		100*s.OpenLoop.AllBusy, Counted(int64(s.OpenLoop.LongestQueue), "operation"), Millis(service), enough)
}

// mergeOpenLoops adds up how the parts kept their rates, in a reading whose window is known. All
// clients are busy while those of each part are, and the queue is that of all parts together: both
// are the worst that there can have been. What was late is judged by each part.
func mergeOpenLoops(reading *measure.Reading, parts []stepsByRun, id runID) error {
	var all []*OpenLoop
	for _, part := range parts {
		if steps := part[id]; len(steps) > 0 {
			if steps[0].OpenLoop == nil {
				return nil // of before there was this key, or none
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

// missed says that the step did not keep its rate, or nothing when it did.
func (s *Step) missed() string {
	o := s.OpenLoop
	if o == nil || float64(o.Started) >= measure.KeptRate*float64(o.Due) && s.Extra.Unstarted == 0 {
		return ""
	}

	return fmt.Sprintf("asked %s, served %s (%s of %s operations started in that time; "+
		"longest queue %s; all clients busy for %.0f %% of the time)",
		perSecond(s.Rate), perSecond(o.AchievedRate), Thousands(int64(o.Started)), Thousands(int64(o.Due)),
		Thousands(int64(o.LongestQueue)), 100*o.AllBusy)
}

// Missed says of steps, the kinds of operations of one step, that they did not keep their rate, or
// nothing when they did.
func Missed(steps []Step) string {
	for i := range steps {
		if why := steps[i].missed(); why != "" {
			return why
		}
	}

	return ""
}

// TooShort says of steps, the kinds of operations of one step, that they are too short to measure,
// or nothing when they are not.
func TooShort(steps []Step) string {
	if len(steps) == 0 || steps[0].TooShort == nil {
		return ""
	}

	return steps[0].Incomplete()
}

func (s *Step) validateOpenLoop() error {
	o := s.OpenLoop
	if o == nil {
		return nil
	}
	if s.Rate == 0 {
		return errors.New("openLoop is for steps with a rate")
	}
	lateness := []keyed{
		{"openLoop.latenessMs.p50", o.Lateness.P50}, {"openLoop.latenessMs.p99", o.Lateness.P99},
		{"openLoop.latenessMs.max", o.Lateness.Max},
	}
	busy := keyed{"openLoop.allBusy", o.AllBusy}
	if err := possible(slices.Concat(lateness, []keyed{busy, {"openLoop.achievedRate", o.AchievedRate}})...); err != nil {
		return err
	}
	inTime, byK6 := keyed{"openLoop.inTime", o.InTime}, keyed{"openLoop.lateByK6", o.LateByK6}
	if err := possible(inTime, byK6); err != nil {
		return err
	}
	for _, rising := range [][]keyed{
		lateness, {busy, {"the whole", 1}}, {inTime, {"the whole", 1}}, {byK6, {"the whole", 1}},
		{{"openLoop.started", float64(o.Started)}, {"openLoop.due", float64(o.Due)}},
		{{"openLoop.longestQueue", float64(o.LongestQueue)}, {"openLoop.due", float64(o.Due)}},
	} {
		if err := ascending(rising...); err != nil {
			return err
		}
	}
	d, err := measure.Decode(o.Lateness.Histogram)
	if err != nil {
		return fmt.Errorf("openLoop.latenessMs.histogram: %w", err)
	}

	return agree(&d, float64(time.Millisecond), lateness, 0.5, 0.99, 1)
}

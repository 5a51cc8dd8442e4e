package page

import (
	"fmt"
	"math"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// lane is a row of bars below a heat map, with evidence over the same time.
type lane struct {
	name    string
	class   string
	seconds float64 // seconds that one value covers
	values  []float64
	whole   float64 // value of the highest bar
	tip     string
}

// Values below these have no lane.
const (
	leastStolen = 0.005
	leastLate   = 5 // ms
)

func lanesOf(s *report.Step) []lane {
	var all []lane
	failed := make([]float64, len(s.OverTime.Failed))
	for i, n := range s.OverTime.Failed {
		failed[i] = float64(n)
	}
	if s.Failed > 0 {
		all = append(all, lane{
			name: "failed", class: "bad", seconds: s.OverTime.SlotSeconds, values: failed, whole: highestOf(failed),
			tip: report.Counted(int64(s.Failed), "failed operation") + ", at most " + tickText(highestOf(failed)) + " in a slot",
		})
	}
	if s.Witness == nil || s.Witness.OverTime == nil || s.Witness.OverTime.EverySeconds <= 0 {
		return all
	}
	w := *s.Witness.OverTime
	for _, values := range []*[]float64{&w.GCPauseMs, &w.LateMs, &w.Stolen} { // the evidence may continue after the step's end
		*values = (*values)[:min(len(*values), int(math.Ceil(s.StepSeconds()/w.EverySeconds)))]
	}
	if pauses := highestOf(w.GCPauseMs); pauses > 0 {
		all = append(all, lane{
			name: "GC", class: "s2", seconds: w.EverySeconds, values: w.GCPauseMs, whole: pauses,
			tip: fmt.Sprintf("garbage collections of k6: it stood still for at most %s of %s", millis(pauses), span(w.EverySeconds)),
		})
	}
	if late := highestOf(w.LateMs); late >= leastLate {
		all = append(all, lane{
			name: "k6 late", class: "s3", seconds: w.EverySeconds, values: w.LateMs, whole: late,
			tip: fmt.Sprintf("a goroutine of k6 woke up to %s late", millis(late)),
		})
	}
	if stolen := highestOf(w.Stolen); stolen >= leastStolen {
		all = append(all, lane{
			name: "stolen", class: "s4", seconds: w.EverySeconds, values: w.Stolen, whole: 1,
			tip: fmt.Sprintf("the hypervisor gave up to %.0f %% of the processors to others", 100*stolen),
		})
	}

	return all
}

func evictedLane(r *report.Report, s *report.Step) (lane, bool) {
	l := lane{name: "evicted", class: "s5", seconds: measure.EvictionsEvery.Seconds()}
	l.values = make([]float64, int(math.Ceil(s.StepSeconds()/l.seconds)))
	all := uint64(0)
	for _, m := range r.Marks {
		before := m.At.Sub(s.Started).Seconds() / l.seconds // the mark covers the time before it
		if i := int(math.Round(before)) - 1; m.Kind == measure.EventEvictions && i >= 0 && i < len(l.values) {
			l.values[i] += float64(max(m.Times, 1))
			all += max(m.Times, 1)
		}
	}
	l.whole = highestOf(l.values)
	l.tip = fmt.Sprintf("%s evicted, at most %s in %s", report.Counted(int64(all), "key"), report.Thousands(int64(l.whole)), span(l.seconds))

	return l, all > 0 && !s.Started.IsZero()
}

func vusLane(r *report.Report, s *report.Step) (lane, bool) {
	if r.Script == nil || r.Script.VUs == nil || s.Started.IsZero() {
		return lane{}, false
	}
	l := lane{name: "VUs", class: "s1", seconds: r.Script.VUs.SlotSeconds}
	width := time.Duration(l.seconds * float64(time.Second))
	l.values = make([]float64, int(math.Ceil(s.StepSeconds()/l.seconds)))
	for i := range l.values {
		l.values[i] = r.Script.VUs.Most(s.Started.Add(time.Duration(i)*width), width)
	}
	l.whole = highestOf(l.values)
	l.tip = fmt.Sprintf("at most %s at work", report.Counted(int64(l.whole), "VU"))

	return l, l.whole > 0
}

func highestOf(values []float64) float64 {
	_, most, _ := extent(values, false)

	return max(most, 0)
}

func (t *timePlot) drawLanes() {
	const least = 0.8
	for i, l := range t.lanes {
		bottom := heatBottom + 4 + laneHeight*float64(i+1)
		d := ""
		for at, v := range l.values {
			from, to := l.seconds*float64(at), l.seconds*float64(at+1)
			if v <= 0 {
				continue
			}
			if at == len(l.values)-1 {
				to = t.seconds
			}
			height := max(min(v/l.whole, 1)*(laneHeight-3), least)
			left, right := t.at(milliseconds(from*1000)), t.at(milliseconds(to*1000))
			d += rectangle(left, bottom-height, max(right, left+least), bottom)
		}
		t.write(plotLeft-6, bottom, "tick", "end", l.name)
		if d != "" {
			t.Marks = append(t.Marks, mark{Class: "lane " + l.class, D: d, Tip: l.tip})
			t.told = append(t.told, l.tip+".")
		}
	}
}

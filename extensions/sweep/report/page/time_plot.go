package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// Heights of a time plot's parts, from the top: events, operations a second, p99, heat map, and a
// lane for each kind of evidence.
const (
	timeRight  = plotWidth - 10
	rateTop    = 34.0
	rateBottom = rateTop + 44
	tailTop    = rateBottom + 22
	tailBottom = tailTop + 44
	heatTop    = tailBottom + 22
	heatBottom = heatTop + 128
	laneHeight = 13.0
	belowAxis  = 52.0
)

const maxHappened = 12

type timePlot struct {
	*plot
	sweep *sweep
	step  *report.Step
	over  *measure.OverTime
	x     axis // time in seconds
	// seconds is the length of the step; in a duet, of both variants.
	seconds float64
	lanes   []lane
	told    []string
}

func newTimePlot(s *sweep, step *report.Step) (*plot, error) {
	over, err := step.Measured()
	if err != nil {
		return nil, err
	}
	t := &timePlot{plot: &plot{right: timeRight}, sweep: s, step: step, over: over, seconds: step.StepSeconds()}
	t.lanes = lanesOf(step)
	if vus, has := vusLane(s.report, step); has {
		t.lanes = append(t.lanes, vus)
	}
	t.height = heatBottom + laneHeight*float64(len(t.lanes)) + belowAxis
	t.timeAxis()
	t.rates()
	t.heat()
	t.drawLanes()
	t.happened()
	t.tips()
	t.Slowest = slowTableOf(t.name(), step)
	t.Heading = t.name()
	t.Title = fmt.Sprintf("%s: %s over time", s.report.Scenario, t.name())
	t.Desc = strings.Join(t.told, " ")

	return t.plot, nil
}

func (t *timePlot) name() string {
	name := t.sweep.name(t.step.Key())
	if len(t.sweep.series) > 1 {
		name = report.NameOf(t.step.Op) + ", " + name
	}
	if t.step.Variant != "" && t.step.Variant != t.step.Op {
		name += ", " + t.step.Variant
	}
	if t.sweep.repeated() {
		name += fmt.Sprintf(", repeat %d", t.step.Repeat)
	}

	return name
}

// bottom is the y coordinate of the time axis.
func (t *timePlot) bottom() float64 { return t.height - belowAxis + 6 }

func (t *timePlot) timeAxis() {
	const steps = 6
	t.x = axis{scale: scale{hi: t.seconds, from: plotLeft, to: t.right}, title: "seconds"}
	for step, i := roundUp(t.seconds/steps, 1, 2, 2.5, 5), 0.0; i*step <= t.seconds*(1+1e-9); i++ {
		t.x.add(i*step, tickText(i*step))
	}
	y := t.bottom()
	t.draw("axis", polyline(xy{plotLeft, y}, xy{t.right, y}))
	for _, tick := range t.x.ticks {
		t.draw("axis", polyline(xy{tick.at, y}, xy{tick.at, y + 4}))
		t.write(min(tick.at, t.right-textWidth(tick.text)/4), y+17, "tick", "middle", tick.text)
	}
	t.write(t.right, y+33, "axis-title", "end", t.x.title)
	slots := report.Counted(int64(len(t.over.Slots)), "slot")
	t.told = append(t.told, fmt.Sprintf("%s in slots of %s.", slots, span(t.step.OverTime.SlotSeconds)))
}

func (t *timePlot) at(d time.Duration) float64 {
	at, _ := t.x.at(min(max(d.Seconds(), 0), t.seconds))

	return at
}

func (t *timePlot) begins(i int) float64 {
	if i == len(t.over.Slots) {
		return t.right
	}

	return t.at(time.Duration(i) * t.over.Width)
}

// rates draws operations a second and p99, each on an axis from zero.
func (t *timePlot) rates() {
	o := t.step.OverTime
	t.lines("ops/s", "s0", o.OpsPerSecond, rateTop, rateBottom, rate, func(int) bool { return true })
	t.lines("p99, ms", "s1", o.P99, tailTop, tailBottom, millis, func(i int) bool { return o.OpsPerSecond[i] > 0 })
}

func (t *timePlot) lines(
	title, class string, values []float64, top, bottom float64, text func(float64) string, has func(slot int) bool,
) {
	_, most, _ := extent(values, false)
	y := linearAxis(title, 0, most, bottom, top, tickText)
	last := y.ticks[len(y.ticks)-1]
	for _, tick := range []tick{y.ticks[0], last} {
		t.draw("grid", polyline(xy{plotLeft, tick.at}, xy{t.right, tick.at}))
		t.write(plotLeft-6, tick.at+4, "tick", "end", tick.text)
	}
	t.write(plotLeft+2, top-5, "axis-title", "start", title)
	var line []xy
	draw := func() {
		if len(line) == 1 {
			line = []xy{{line[0].x - 0.5, line[0].y}, {line[0].x + 0.5, line[0].y}}
		}
		if len(line) > 1 {
			t.draw("line thin "+class, polyline(line...))
		}
		line = nil
	}
	lowest, highest := math.Inf(1), 0.0
	for i, v := range values {
		at, ok := y.at(v)
		if !ok || !has(i) {
			draw()

			continue
		}
		lowest, highest = min(lowest, v), max(highest, v)
		line = append(line, xy{(t.begins(i) + t.begins(i+1)) / 2, at})
	}
	draw()
	if lowest <= highest {
		what, _, _ := strings.Cut(title, ",")
		t.told = append(t.told, fmt.Sprintf("%s between %s and %s.", what, text(lowest), text(highest)))
	}
}

func (t *timePlot) tips() {
	o := t.step.OverTime
	for i := range t.over.Slots {
		tip := fmt.Sprintf("%s: %s", span(float64(i)*o.SlotSeconds), rate(o.OpsPerSecond[i]))
		if o.OpsPerSecond[i] > 0 {
			tip += fmt.Sprintf(", p50 %s, p99 %s", millis(o.P50[i]), millis(o.P99[i]))
		}
		if o.Failed[i] > 0 {
			tip += fmt.Sprintf(", %s failed", count(o.Failed[i]))
		}
		t.Marks = append(t.Marks, mark{Class: "slot", D: rectangle(t.begins(i), rateTop, t.begins(i+1), heatBottom), Tip: tip})
	}
	t.slowest()
}

func (t *timePlot) slowest() {
	rows := newHeatRows(t.over)
	for _, one := range t.step.Slowest {
		y := rows.at(milliseconds(one.Ms))
		began, ended := t.at(milliseconds(one.At*1000)), t.at(milliseconds(one.At*1000+one.Ms))
		if ended-began > 2*slowSize {
			t.draw("slow", polyline(xy{began, y}, xy{ended - slowSize, y}))
		}
		t.Marks = append(t.Marks, mark{Class: "slow", D: circle(xy{ended, y}, slowSize), Tip: slowText(&one)})
	}
	if len(t.step.Slowest) > 0 {
		t.told = append(t.told, "The slowest operation: "+slowText(&t.step.Slowest[0])+".")
	}
}

const slowSize = 2.2

const numberWidth = 18.0

func (t *timePlot) happened() {
	if t.step.Started.IsZero() {
		return
	}
	marks := slices.Clone(t.sweep.report.Marks)
	slices.SortStableFunc(marks, func(a, b report.Mark) int { return a.At.Compare(b.At) })
	var lines []mark
	var at []float64
	for _, m := range marks {
		since := m.At.Sub(t.step.Started)
		if since < 0 || since.Seconds() > t.seconds {
			continue
		}
		text := fmt.Sprintf("at %s: %s", span(since.Seconds()), m.Shown())
		if len(t.Happened) == maxHappened {
			t.Happened = append(t.Happened, entry{"…", "more are in the JSON of the run"})

			break
		}
		lines, at = append(lines, mark{Class: "happened", Tip: text}), append(at, t.at(since))
		t.Happened = append(t.Happened, entry{fmt.Sprint(len(lines)), text})
	}
	numbers := slices.Clone(at)
	spread(numbers, plotLeft, t.right-4, numberWidth)
	for i, x := range numbers {
		lines[i].D = polyline(xy{x, rateTop - 15}, xy{at[i], rateTop - 8}, xy{at[i], t.bottom()})
		t.Marks = append(t.Marks, lines[i])
		t.write(x, rateTop-18, "flag-number", "middle", fmt.Sprint(i+1))
	}
	for _, h := range t.Happened {
		t.told = append(t.told, h.Text+".")
	}
}

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

package host

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

const (
	// nap is the sleep of the goroutine that measures how late k6 wakes. Each waking costs an idle
	// processor 160 us.
	nap = 50 * time.Millisecond
	// firstSlot is the initial slot length, and mostSlots the maximum number of slots. When it is
	// reached, pairs are merged and the length doubles.
	firstSlot = 100 * time.Millisecond
	mostSlots = 128
	// fullSlot is the maximum idle share of a full slot. Other processes disturb only in full slots.
	fullSlot = 0.1
	// leastPeriods is the number of control group periods without which Throttled is unknown.
	leastPeriods = 3
	// leastBusy is the minimum share of the step in which sockets had data to send. Below it, the
	// network is not judged.
	leastBusy = 0.1
)

// Watch reads counters of the kernel and Go's runtime during a step: all at its start and end, and
// some several times a second. It costs at most 0.4 % of a core.
type Watch struct {
	// server is nil unless a script has named a local one.
	server *Server
	// progress returns the number of finished operations.
	progress func() uint64

	stopped chan struct{}
	stop    sync.Once

	mu         sync.Mutex
	begin, end *account
	last       reading
	slots      slots
	late       measure.Distribution
	lateNow    time.Duration
}

type account struct {
	reading

	// pids are the server's processes. here reports whether the server is local, if known is true.
	pids        []int32
	here, known bool

	runtime runtimeAccount
	system  systemAccount
}

type reading struct {
	at time.Time
	// machine is nil if unknown.
	machine    *machineTimes
	k6, server time.Duration
	pauses     time.Duration
	operations uint64
}

// machineTimes are sums over all processors.
type machineTimes struct {
	processors int
	// Times that no process used. interrupts is 0 if the kernel includes them in process times.
	idle, stolen, interrupts time.Duration
}

// variable disables all watches if it is "off", for example to measure their cost.
const variable = "K6_SWEEP_WITNESS"

// NewWatch returns a watch of a step. progress counts its operations; server may be nil. It returns
// nil, a watch that does nothing, if the environment disables it.
func NewWatch(server *Server, progress func() uint64) *Watch {
	if os.Getenv(variable) == "off" {
		return nil
	}
	readMachine() // the first reading takes milliseconds, so do it before the step

	return &Watch{server: server, progress: progress, stopped: make(chan struct{}), slots: slots{every: firstSlot}}
}

// Start starts the watch.
func (w *Watch) Start() {
	if w == nil {
		return
	}
	begin := &account{runtime: readRuntime()}
	begin.pids, begin.here, begin.known = w.find()
	begin.system = readAccount(begin.pids)
	begin.reading = w.read(begin.pids)
	w.mu.Lock()
	w.begin, w.last = begin, begin.reading
	w.mu.Unlock()
	go func() {
		defer crash.Contain("the watch of the machine")
		w.watch()
	}()
}

// find returns the server's processes: the named server's, or those at the other end of most of
// k6's connections.
func (w *Watch) find() (pids []int32, here, known bool) {
	if w.server != nil {
		return descendants(w.server.pids), true, true
	}
	pids, here, known = peers()

	return descendants(pids), here, known
}

// Stop stops the watch.
func (w *Watch) Stop() {
	if w == nil {
		return
	}
	w.stop.Do(func() { close(w.stopped) })
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begin == nil || w.end != nil {
		return
	}
	end := &account{reading: w.read(w.begin.pids)}
	w.slot(end.reading)
	end.runtime, end.system = readRuntime(), readAccount(w.begin.pids)
	w.end = end
}

func (w *Watch) watch() {
	timer := time.NewTimer(nap)
	defer timer.Stop()
	for {
		asleep := time.Now()
		timer.Reset(nap)
		select {
		case <-w.stopped:
			return
		case <-timer.C:
		}
		w.woke(time.Since(asleep) - nap)
	}
}

// woke records how late the goroutine woke, and closes a slot when it is due.
func (w *Watch) woke(late time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.end != nil {
		return
	}
	late = max(late, 0)
	w.late.Record(late)
	w.lateNow = max(w.lateNow, late)
	if w.slots.due(time.Since(w.begin.at)) {
		w.slot(w.read(w.begin.pids))
	}
}

func (w *Watch) slot(next reading) {
	w.slots.add(slotOf(&w.last, &next, w.lateNow), next.at.Sub(w.begin.at))
	w.last, w.lateNow = next, 0
}

func (w *Watch) read(pids []int32) reading {
	return reading{
		operations: w.progress(), server: clocks(pids), k6: selfTime(), machine: readMachine(), pauses: readPauses(), at: time.Now(),
	}
}

// Annotate stores the bottleneck of the watched step in steps, which has one entry for each kind of
// operation. before has the entries of the previous step, or is nil.
func (w *Watch) Annotate(steps, before []report.Step) {
	if w == nil || len(steps) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := stepEvidence(steps, before)
	var overTime *report.WitnessOverTime
	if w.begin != nil && w.end != nil {
		w.evidence(e)
		w.course(e, &steps[0])
		overTime = w.slots.overTime(w.begin.known && w.begin.here)
	}
	word, why := witness.Judge(e)
	said := &report.Witness{LimitedBy: word, Why: why, Evidence: e, OverTime: overTime}
	for i := range steps {
		steps[i].Witness = said
	}
}

// serverFull matches errors of servers that accept no more clients: Redis, memcached, NATS,
// PostgreSQL and PgBouncer, MySQL, Machbase, and umem-cache as reported by k6/x/umemcache.
var serverFull = regexp.MustCompile(`(?i)max number of clients reached|too many open connections|` +
	`maximum (account active )?connections exceeded|too many (clients|connections)|remaining connection slots are reserved|` +
	`no more connections allowed|session count exceed|has no free (slot|session)`)

func stepEvidence(steps, before []report.Step) witness.Evidence {
	one := &steps[0]
	e := witness.Evidence{witness.Seconds: one.Seconds, witness.ClientsAtWork: float64(one.Clients)}
	if one.Window != nil {
		e[witness.Seconds] = one.Window.Seconds
	}
	succeeded := 0.0
	for i := range steps {
		s := &steps[i]
		if i > 0 && s.Variant != steps[i-1].Variant { // in a duet, each variant has its own time
			e[witness.Seconds] += s.Seconds
		}
		succeeded += float64(s.Operations)
		e[witness.Operations] += float64(s.Operations) + float64(s.Failed)
		for text, n := range s.Extra.Errors {
			if strings.Contains(text, "too many open files") {
				e[witness.NoFiles] += float64(n)
			}
			if strings.Contains(text, "assign requested address") { // "cannot" on Linux, "can't" on macOS
				e[witness.NoPorts] += float64(n)
			}
			if serverFull.MatchString(text) {
				e[witness.ServerFull] += float64(n)
			}
		}
	}
	if succeeded > 0 {
		e[witness.MeanMs] = 0
		for i := range steps {
			e[witness.MeanMs] += steps[i].Latency.Mean * float64(steps[i].Operations) / succeeded
		}
	}
	underWay(e, steps)
	if one.ClientWait != nil {
		e[witness.ClientWaitMs] = one.ClientWait.Mean
	}
	if o := one.OpenLoop; o != nil && o.Due > 0 {
		e[witness.RateKept], e[witness.LateByK6] = o.InTime, o.LateByK6
	}
	if s := one.Standstill; s != nil {
		e[witness.StoodStill], e[witness.LongestStill] = s.Part, s.LongestMs/1000
	}
	compareSteps(e, steps, before)

	return e
}

// underWay adds the share of the clients' time in operations. It is unknown in a duet, and if
// failed operations have no latency.
func underWay(e witness.Evidence, steps []report.Step) {
	one, spent := &steps[0], 0.0
	for i := range steps {
		s := &steps[i]
		if s.Variant != one.Variant || (s.Failed > 0 && s.FailedLatency == nil) {
			return
		}
		spent += float64(s.Operations) * s.Latency.Mean / 1000
		if s.FailedLatency != nil {
			spent += float64(s.Failed) * s.FailedLatency.Mean / 1000
		}
	}
	if all := one.Client.Avg * clientsHere(one); one.Rate == 0 && one.Complete && all > 0 {
		e[witness.UnderWay] = spent / all
	}
}

// clientsHere returns the number of this instance's clients, which is lower than the step's in an
// execution segment.
func clientsHere(s *report.Step) float64 {
	if times, err := measure.Decode(s.Client.Histogram); err == nil && times.Count > 0 {
		return float64(times.Count)
	}

	return float64(s.Clients)
}

func compareSteps(e witness.Evidence, steps, before []report.Step) {
	if len(before) == 0 || before[0].Rate != 0 || steps[0].Rate != 0 || before[0].Variant != steps[0].Variant {
		return
	}
	now, then := 0.0, 0.0
	for i := range steps {
		now += steps[i].OpsPerSecond
	}
	for i := range before {
		then += before[i].OpsPerSecond
	}
	if then > 0 && before[0].Clients < steps[0].Clients {
		e[witness.ClientsRatio] = float64(steps[0].Clients) / float64(before[0].Clients)
		e[witness.OpsRatio] = now / then
	}
}

func (w *Watch) evidence(e witness.Evidence) {
	begin, end := w.begin, w.end
	seconds := end.at.Sub(begin.at).Seconds()
	if seconds <= 0 {
		return
	}
	if w.late.Count > 0 {
		e[witness.LateMeanMs] = report.Ms(w.late.Mean())
		e[witness.LateP99Ms] = report.Ms(w.late.Quantile(0.99))
		e[witness.LateMaxMs] = report.Ms(w.late.Max)
	}
	end.runtime.since(&begin.runtime, e, seconds)
	if end.machine == nil || begin.machine == nil {
		return
	}
	if begin.known {
		e[witness.ServerHere] = 0
		if begin.here {
			e[witness.ServerHere] = 1
		}
	}
	e[witness.Processors] = float64(end.machine.processors)
	e[witness.Idle] = min((end.machine.idle-begin.machine.idle).Seconds()/seconds, e[witness.Processors])
	e[witness.Stolen] = (end.machine.stolen - begin.machine.stolen).Seconds() / seconds
	e[witness.K6] = (end.k6 - begin.k6).Seconds() / seconds
	e[witness.K6Processors] = mayUse(float64(end.machine.processors))
	if begin.known {
		others, disturbing := w.slots.others()
		e[witness.Others], e[witness.Disturbing] = others, disturbing
		if begin.here {
			e[witness.ServerUsed] = max(end.server-begin.server, 0).Seconds() / seconds
		}
	}
	end.system.since(&begin.system, e, seconds)
}

// course adds the drift of the rate.
func (w *Watch) course(e witness.Evidence, s *report.Step) {
	seconds := s.Seconds // the time in which all clients were active
	switch {
	case s.Window != nil:
		seconds = s.Window.Seconds
	case s.AllClients != nil:
		seconds = s.AllClients.Seconds
	}
	counts := w.slots.counts(time.Duration(seconds * float64(time.Second)))
	if part, chance, errors, known := witness.Drift(counts); known {
		e[witness.DriftPart], e[witness.DriftChance], e[witness.DriftErrors] = part, chance, errors
	}
}

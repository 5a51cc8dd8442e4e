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
	// nap is how long the goroutine sleeps that tells how late k6 itself is. To wake it takes 160 us
	// of a processor that is idle else.
	nap = 50 * time.Millisecond
	// firstSlot is the time between two readings at first, and mostSlots how many there are at most:
	// then two become one, and the time is twice as long.
	firstSlot = 100 * time.Millisecond
	mostSlots = 128
	// fullSlot is the part of the machine that is idle in a slot in which others disturb.
	fullSlot = 0.1
	// leastPeriods is how many periods of a control group tell how many of them were throttled.
	leastPeriods = 3
	// leastBusy is for which part of the step sockets had something to send, where it tells anything
	// of the network that they had to wait.
	leastBusy = 0.1
)

// Watch reads what the kernel and Go's runtime tell between the start line of a step and the end of
// its last client: some figures at both, and a few of them several times a second.
//
// It costs 0.4 % of one core where k6 does nothing else, most of it to wake an idle processor, and
// less where k6 is busy.
type Watch struct {
	// server is nil where no script has named one that is on this machine.
	server *Server
	// progress counts the operations that have ended.
	progress func() uint64

	stopped chan struct{}
	stop    sync.Once

	mu         sync.Mutex
	begin, end *account
	last       reading
	slots      slots
	late       measure.Distribution
	// lateNow is the worst of the slot that is under way.
	lateNow time.Duration
}

// account is what is read at the beginning and at the end.
type account struct {
	reading

	// pids are the server's processes, and here tells whether it is on this machine; known is false
	// where that cannot be told.
	pids        []int32
	here, known bool

	runtime runtimeAccount
	system  systemAccount
}

// reading is what is read several times a second. Times are counted from some beginning.
type reading struct {
	at time.Time
	// machine is nil where the system does not tell.
	machine    *machineTimes
	k6, server time.Duration
	pauses     time.Duration
	operations uint64
}

// machineTimes are those of all processors together.
type machineTimes struct {
	processors int
	// idle, stolen and interrupts are the times that no process used. Where the kernel does not keep
	// interrupts apart, they are in the times of processes, and zero here.
	idle, stolen, interrupts time.Duration
}

// variable turns all watches off where it is "off", such as to see what they cost.
const variable = "K6_SWEEP_WITNESS"

// NewWatch returns a watch of a step that counts its operations with progress, and of the server,
// which may be nil. It returns nil, which watches nothing, where the environment says so.
func NewWatch(server *Server, progress func() uint64) *Watch {
	if os.Getenv(variable) == "off" {
		return nil
	}
	readMachine() // the first time takes some milliseconds, which no client shall miss

	return &Watch{server: server, progress: progress, stopped: make(chan struct{}), slots: slots{every: firstSlot}}
}

// Start begins to watch.
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
	crash.Go("what watches the machine", w.watch)
}

// find returns the server's processes. Where no script has named the server, it is what most of
// k6's own connections lead to.
func (w *Watch) find() (pids []int32, here, known bool) {
	if w.server != nil {
		return descendants(w.server.pids), true, true
	}
	pids, here, known = peers()

	return descendants(pids), here, known
}

// Stop ends to watch.
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

// watch sleeps and wakes until the step is over.
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

// woke counts how late the goroutine woke and, when it is time, closes a slot.
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

// slot closes a slot with a reading.
func (w *Watch) slot(next reading) {
	w.slots.add(slotOf(&w.last, &next, w.lateNow), next.at.Sub(w.begin.at))
	w.last, w.lateNow = next, 0
}

func (w *Watch) read(pids []int32) reading {
	return reading{
		operations: w.progress(), server: clocks(pids), k6: selfTime(), machine: readMachine(), pauses: readPauses(), at: time.Now(),
	}
}

// Testify makes steps, the kinds of operations of the step that was watched, say what limited it.
// before are those of the step before, or none.
func (w *Watch) Testify(steps, before []report.Step) {
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

// serverFull matches what servers say to a client more than they take: Redis, memcached, NATS,
// PostgreSQL and PgBouncer, MySQL, Machbase; and what k6/x/umemcache says of a server that says
// nothing.
var serverFull = regexp.MustCompile(`(?i)max number of clients reached|too many open connections|` +
	`maximum (account active )?connections exceeded|too many (clients|connections)|remaining connection slots are reserved|` +
	`no more connections allowed|session count exceed|has no free (slot|session)`)

// stepEvidence is what the step itself tells.
func stepEvidence(steps, before []report.Step) witness.Evidence {
	one := &steps[0]
	e := witness.Evidence{witness.Seconds: one.Seconds, witness.ClientsAtWork: float64(one.Clients)}
	if one.Window != nil {
		e[witness.Seconds] = one.Window.Seconds
	}
	succeeded := 0.0
	for i := range steps {
		s := &steps[i]
		if i > 0 && s.Variant != steps[i-1].Variant { // that of a duet has a time of its own
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

// underWay tells for which share of the clients' time an operation was under way. That is not known
// of a duet, nor where failed operations have no latency.
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

// clientsHere is how many clients this instance of k6 had: of an execution segment, fewer than the
// step.
func clientsHere(s *report.Step) float64 {
	if times, err := measure.Decode(s.Client.Histogram); err == nil && times.Count > 0 {
		return float64(times.Count)
	}

	return float64(s.Clients)
}

// compareSteps tells what the clients of a step got that those of the step before did not.
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

// evidence adds what the kernel and the runtime have told of the whole step.
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

// course adds what the slots tell: whether the rate was steady.
func (w *Watch) course(e witness.Evidence, s *report.Step) {
	seconds := s.Seconds // in which all clients were at work
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

package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/fault"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/options"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// stepRun is one step while it runs.
type stepRun struct {
	*sweepRun
	options.Step

	here   int64 // of the step's clients, those in this instance's segment
	first  bool  // of the sweep
	step   *measure.Step
	cpu    *host.CPUMeter
	watch  *host.Watch
	live   *stream.Live
	logger *logrus.Entry

	// showsQuiet tells that the step's warm-up shows for the whole sweep whether the target is quiet.
	showsQuiet bool

	// turns reads the processor time of each variant of a duet; nil in other steps.
	turns *host.DuetMeter
	// duets are those of the step, once it has ended.
	duets []report.Duet

	instants instants // of raw samples
	noTap    sync.Once

	// reached is how well the figures were known at the last look; nil before.
	reached atomic.Pointer[look]
	// decided is set by what ends a step with a precision first: that it is known, or maxDuration.
	decided atomic.Bool

	// ran and plain count clients: those that came to sweep.run, and those whose function returned
	// without it.
	ran, plain atomic.Int64

	mu     sync.Mutex
	abort  error // what a script's test.abort said
	cancel context.CancelCauseFunc
}

func newStepRun(run *sweepRun, s options.Step, here int64) *stepRun {
	r := &stepRun{
		sweepRun: run, Step: s, here: here,
		cpu:    host.NewCPUMeter(run.scenario.Server()),
		logger: run.logger.WithField("clients", s.Clients),
	}
	if s.Rate > 0 {
		r.logger = r.logger.WithField("rate", stream.FormatNumber(s.Rate))
	}
	if s.Variant != "" {
		r.logger = r.logger.WithField("variant", s.Variant)
	}
	plan := r.config.Plan(s)
	plan.Places = newSegmentPlaces(r.state.ExecutionTuple)
	plan.Part = options.IsPart(r.state.ExecutionTuple)
	r.step = measure.NewStep(int(here), plan, func(err error) { run.faults.Tell(r.logger, err) })
	r.watch = host.NewWatch(run.scenario.Server().And(run.scenario.BaseServer()), r.step.Ended)
	r.step.OnStart(func() {
		runtime.GC() // what is measured does not pay for what came before
		if r.step.IsDuet() {
			r.turns = host.NewDuetMeter(run.scenario.BaseServer(), run.scenario.Server())
		}
		r.watch.Start()
		r.cpu.Start()
	})
	r.step.OnEnd(func() {
		r.cpu.Stop()
		if r.turns != nil {
			r.turns.Stop()
		}
		r.watch.Stop()
	})
	r.live = run.scenario.Live(s.Stream(), s.Tags())
	if r.config.OnError.String == options.OnErrorAbort {
		r.step.OnFail(func(op string) {
			r.aborted(fault.NewAborted(fmt.Errorf(
				"an operation failed (%s with %s), and onError is 'abort'", op, report.Plural(int(s.Clients), "client"))))
		})
	}
	if r.config.OnError.String == options.OnErrorCount && !run.succeeded {
		r.step.OnAllFail(func(err error, failures uint64) {
			run.faults.Forget(err)
			r.aborted(fault.NewAllFailed(r.step.Clients(), err, failures))
		})
	}

	return r
}

// op names the operations that nobody named.
func (r *stepRun) op() string { return r.config.OpOf(r.Step) }

// tags are those of all samples of the step.
func (r *stepRun) tags() *metrics.TagSet {
	return r.scenario.Tags.WithTagsFromMap(r.Tags())
}

// run runs the step to its end and returns what it came to. The error is that of a script which
// aborted the test, or of k6 when it had no VUs.
func (r *stepRun) run(parent context.Context) ([]report.Step, error) {
	// The context of the clients ends with the parent, but not before the step knows that it was
	// interrupted: what is cut off would count as failed.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	defer cancel(errStepOver)
	r.cancel = cancel

	stopOnInterrupt := context.AfterFunc(parent, func() {
		defer crash.Contain("what interrupts a step")
		r.step.Interrupt()
		cancel(context.Cause(parent))
	})
	defer stopOnInterrupt()
	defer r.limit(cancel)()

	ended, watched, read, known := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer crash.Contain("what watches a step")
		defer close(watched)
		r.live.Watch(r.step, ended, func() {
			r.faults.Flush(fault.Patience)
			r.scenario.LookAtServer()
		})
	}()

	if r.settles() {
		crash.Go("what waits for a quiet target", func() { r.settle(ended) })
	}

	go func() {
		defer crash.Contain("what ends a step that is known")
		defer close(known)
		if r.config.Precision.Some() {
			r.measureUntilKnown(ended)
		}
	}()

	go func() {
		defer crash.Contain("what reads the processor time of variants")
		defer close(read)
		r.step.EachTurn(ended, func(variant measure.Variant, onTime bool) { r.turns.Turn(string(variant), onTime) })
	}()

	err := r.runClients(ctx)
	close(ended)
	<-watched
	<-read
	<-known // or its statistics would take processors of the next step
	r.faults.Flush(0)
	if !r.succeeded && r.step.AnySucceeded() {
		r.succeeded = true
		r.faults.Hurry()
	}

	reading := r.step.Read()
	if r.mixed() {
		reading.Complete = false
	}
	r.live.Last(&reading)
	r.duets = report.NewDuets(&reading, r.config.Asked(r.Step))
	steps, encodeErr := report.NewSteps(&reading, r.config.Asked(r.Step), r.op(), r.cpu.Spent())
	for i := range steps {
		if r.turns != nil {
			steps[i].CPU = r.turns.Spent(steps[i].Variant, reading.Elapsed/2)
		}
	}
	r.watch.Testify(steps, r.before)
	r.before = steps
	r.tell(steps)

	return steps, errors.Join(err, r.abort, encodeErr)
}

// tell logs what the step came to, and why it is not what was asked for.
func (r *stepRun) tell(steps []report.Step) {
	r.log(steps)
	for i := range r.duets {
		r.logger.WithField("op", r.duets[i].Op).Info(r.duets[i].Line())
	}
	if why := report.TooShort(steps); why != "" {
		r.logger.Warnf("the step is incomplete: %s", why)
	}
	if why := report.Missed(steps); why != "" && !r.step.Interrupted() {
		r.logger.Warnf("the rate was not kept: %s", why)
	}
}

// mixed tells of a step in which a part of the clients came to sweep.run. The calls of the others
// were counted as operations, and are none.
func (r *stepRun) mixed() bool {
	ran, plain := r.ran.Load(), r.plain.Load()
	if ran == 0 || plain == 0 {
		return false
	}
	r.logger.Warnf("%d of %d clients did not come to sweep.run, each call of their function was counted as an operation: "+
		"the step is incomplete", plain, ran+plain)

	return true
}

// limit arms maxDuration and gracefulStop; the returned function disarms them.
func (r *stepRun) limit(cancel context.CancelCauseFunc) func() {
	stopMax := r.after(r.config.MaxDuration.TimeDuration(), func() {
		before := "the clients are done"
		if r.config.Precision.Some() && r.decided.CompareAndSwap(false, true) {
			before = fmt.Sprintf("the step is known to %s (%s)", r.config.Precision.Words(), r.known())
		}
		r.logger.Warnf("maxDuration (%s) is over before %s: the step is incomplete", r.config.MaxDuration.TimeDuration(), before)
		r.step.Stop()
	})
	stopGraceful := r.after(r.config.MaxDuration.TimeDuration()+r.config.GetGracefulStop(), func() {
		r.step.Stop() // gracefulStop may be 0s: no client starts anew in a context that has ended
		cancel(errCutOff(r.config))
	})

	return func() {
		stopMax()
		stopGraceful()
	}
}

// after calls fn when so much of the step's time is over; what the wait for a quiet target takes
// does not count.
func (r *stepRun) after(d time.Duration, fn func()) (stop func()) {
	over := make(chan struct{})
	go func() {
		defer crash.Contain("what ends a step")
		for waited := time.Duration(0); ; {
			select {
			case <-time.After(d):
			case <-over:
				return
			}
			d = r.step.WarmUpExtended() - waited
			waited += d
			if d == 0 {
				fn()

				return
			}
		}
	}()

	return sync.OnceFunc(func() { close(over) })
}

func (r *stepRun) runClients(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()

	for i := range int(r.here) {
		vu, err := r.state.GetPlannedVU(r.Executor.logger, true)
		if err != nil {
			r.step.Interrupt()
			for ; i < int(r.here); i++ {
				r.step.Client(i).Leave()
			}

			return err
		}
		c := &client{run: r, measured: r.step.Client(i), vu: vu}
		wg.Go(func() {
			defer crash.Contain("a client")
			err := crash.Guard(func() error {
				c.work(ctx)

				return nil
			})
			if err != nil { // nobody waits for this client any more
				r.aborted(err)
				c.measured.Leave()
			}
		})
	}

	return nil
}

// aborted keeps a script's wish to abort the whole test and ends the step at once, as k6's own
// executors do.
func (r *stepRun) aborted(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil {
		r.abort = err
	}
	r.step.Interrupt()
	r.cancel(err)
}

func (r *stepRun) log(steps []report.Step) {
	for i := range steps {
		s := &steps[i]
		logger := r.logger.WithField("op", s.Op)
		if s.Variant != r.Variant { // that of a duet
			logger = logger.WithField("variant", s.Variant)
		}
		limitedBy := ""
		if word := s.LimitedBy(); word != "" {
			limitedBy = ", limited by: " + string(word)
		}
		logger.Infof("%s ops/s, p50 %s, p99 %s, %s failed, %s%s",
			report.Thousands(int64(math.Round(s.OpsPerSecond))),
			report.P50.Show(report.Millis(s.Latency.P50), s.Timings()), report.P99.Show(report.Millis(s.Latency.P99), s.Timings()),
			report.Thousands(int64(s.Failed)), report.Span(s.Seconds), limitedBy)
	}
}

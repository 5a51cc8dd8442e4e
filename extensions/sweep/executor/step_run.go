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

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/host"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

type stepRun struct {
	*sweepRun
	Step

	here   int64 // the step's clients in this instance's segment
	first  bool  // first step of the sweep
	step   *measure.Step
	cpu    *host.CPUMeter
	watch  *host.Watch
	live   *stream.Live
	logger *logrus.Entry

	// showsQuiet is set if this warm-up decides whether the server is idle.
	showsQuiet bool

	// turns reads the CPU time of each variant of a duet; nil in other steps.
	turns *host.DuetMeter
	duets []report.Duet

	noTap sync.Once

	// reached is the precision at the last check; nil before the first.
	reached atomic.Pointer[precisionSample]
	// decided is set when a step with a precision ends, by its precision or by maxDuration.
	decided atomic.Bool

	// ran and plain count the clients that called sweep.run, and those whose function returned without
	// it.
	ran, plain atomic.Int64

	mu     sync.Mutex
	abort  error // reason of test.abort
	cancel context.CancelCauseFunc
}

func newStepRun(run *sweepRun, s Step, here int64) *stepRun {
	r := &stepRun{
		sweepRun: run, Step: s, here: here,
		cpu:    host.NewCPUMeter(run.scenario.Server()),
		cancel: func(error) {},
		logger: run.logger.WithField("clients", s.Clients),
	}
	if s.Rate > 0 {
		r.logger = r.logger.WithField("rate", stream.FormatNumber(s.Rate))
	}
	if s.Variant != "" {
		r.logger = r.logger.WithField("variant", s.Variant)
	}
	r.step = measure.NewStep(int(here), r.config.plan(s, r.state.ExecutionTuple), func(err error) { run.faults.Error(r.logger, err) })
	r.watch = host.NewWatch(run.scenario.Server().And(run.scenario.BaseServer()), r.step.Ended)
	r.step.OnStart(func() {
		runtime.GC() // so that earlier garbage does not affect the measurement
		if r.step.IsDuet() {
			r.turns = host.NewDuetMeter(run.scenario.BaseServer(), run.scenario.Server())
		} else if r.first {
			run.scenario.WarnWithoutBase(run.logger)
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
	if r.config.OnError.String == OnErrorAbort {
		r.step.OnFail(func(op string) {
			r.aborted(testrun.NewAborted(fmt.Errorf(
				"an operation failed (%s with %s), and onError is 'abort'", op, report.Plural(int(s.Clients), "client"))))
		})
	}
	if r.endsIfAllFail() {
		r.step.OnAllFail(r.allFailed)
	}

	return r
}

func (r *stepRun) endsIfAllFail() bool {
	return r.config.OnError.String == OnErrorCount && !r.succeeded.Load()
}

func (r *stepRun) allFailed(err error, failures uint64) {
	r.faults.Forget(err)
	r.aborted(testrun.NewAllFailed(r.step, err, failures))
}

func (r *stepRun) op() string { return r.config.OpOf(r.Step) }

// run runs the step and returns its results. The error is an abort of the script, or missing VUs.
func (r *stepRun) run(parent context.Context) ([]report.Step, error) {
	// The clients' context must not end before the step has recorded the interruption. Otherwise
	// cut-off operations would count as failed.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	defer cancel(errStepOver)
	r.cancel = cancel

	stopOnInterrupt := context.AfterFunc(parent, func() {
		r.step.Interrupt()
		cancel(context.Cause(parent))
	})
	defer stopOnInterrupt()
	defer r.limit(cancel)()

	ended, read, known := make(chan struct{}), make(chan struct{}), make(chan struct{})
	sent := r.sendLive(ended)

	if r.settles() {
		go r.settle(ended)
	}

	go func() {
		defer close(known)
		if r.config.Precision.Some() {
			r.measureUntilKnown(ended)
		}
	}()

	go func() {
		defer close(read)
		r.step.EachTurn(ended, func(variant measure.Variant, onTime bool) { r.turns.Turn(string(variant), onTime) })
	}()

	err := r.runClients(ctx)
	close(ended)
	<-sent
	<-read
	<-known // otherwise its statistics would use CPU time of the next step
	r.endIfUnreachable()

	return r.result(), errors.Join(err, r.abort)
}

// sendLive sends the step's metrics once a second until ended is closed. The result is closed when
// all are sent.
func (r *stepRun) sendLive(ended <-chan struct{}) <-chan struct{} {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		r.live.Watch(r.step, ended, func() {
			r.faults.Flush(testrun.Patience)
			r.scenario.CheckServer()
		})
	}()

	return sent
}

// result reads and logs the results, when all clients have ended.
func (r *stepRun) result() []report.Step {
	r.faults.Flush(0)
	if r.step.AnySucceeded() && !r.succeeded.Swap(true) {
		r.faults.Immediate()
	}
	reading := r.step.Read()
	if r.mixed() {
		reading.Complete = false
	}
	r.live.Last(&reading)
	r.duets = report.NewDuets(&reading, r.config.Asked(r.Step))
	steps := report.NewSteps(&reading, r.config.Asked(r.Step), r.op(), r.cpu.Spent())
	for i := range steps {
		if r.turns != nil {
			steps[i].CPU = r.turns.Spent(steps[i].Variant, reading.Elapsed/2)
		}
	}
	r.watch.Annotate(steps, r.before)
	r.before = steps
	r.log(steps)

	return steps
}

// keep adds the results to the report, when no goroutine writes to them any more.
func (r *stepRun) keep(steps []report.Step) {
	r.scenario.Add(steps, r.duets...)
	r.scenario.Save()
	r.live.Ended(steps)
}

// endIfUnreachable ends the test if a step that was too short for OnAllFail reached no server.
func (r *stepRun) endIfUnreachable() {
	failures, err := r.step.AllFailed()
	if r.endsIfAllFail() && testrun.Unreachable(err) && !r.step.Interrupted() {
		r.allFailed(err, failures)
	}
}

// mixed handles a step in which only some clients called sweep.run. The calls of the others are not
// operations.
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
		r.step.Stop() // with gracefulStop 0s, no client starts again in an ended context
		cancel(errCutOff(r.config))
	})

	return func() {
		stopMax()
		stopGraceful()
	}
}

// after calls fn after d of the step's time, not counting the wait for an idle server.
func (r *stepRun) after(d time.Duration, fn func()) (stop func()) {
	over := make(chan struct{})
	go func() {
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
		vu, err := r.state.GetPlannedVU(r.sweepRun.logger, true)
		if err != nil {
			r.step.Interrupt()
			for ; i < int(r.here); i++ {
				r.step.Client(i).Leave()
			}

			return err
		}
		c := &client{run: r, measured: r.step.Client(i), vu: vu}
		wg.Go(func() {
			err := crash.Guard(func() error {
				c.work(ctx)

				return nil
			})
			if err != nil { // stop waiting for this client
				r.aborted(err)
				c.measured.Leave()
			}
		})
	}

	return nil
}

// aborted records an abort and ends the step immediately, as k6's executors do.
func (r *stepRun) aborted(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil {
		r.abort = err
	}
	r.step.Interrupt()
	r.cancel(err)
}

// whyAborted returns the reason to end the test, or nil.
func (r *stepRun) whyAborted() error {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.abort
}

// log logs the results. The table has the reason for an incomplete step.
func (r *stepRun) log(steps []report.Step) {
	for i := range steps {
		s := &steps[i]
		logger := r.logger.WithField("op", s.Op)
		if s.Variant != r.Variant { // the variants of a duet
			logger = logger.WithField("variant", s.Variant)
		}
		limitedBy := ""
		if word := s.LimitedBy(); word != "" {
			limitedBy = ", limited by: " + string(word)
		}
		flaw := ""
		if word := s.Flaw(); word != "" && !r.step.Interrupted() {
			flaw = ", " + word
		}
		logger.Infof("%s ops/s, p50 %s, p99 %s, %s failed, %s%s%s",
			report.Thousands(int64(math.Round(s.OpsPerSecond))),
			report.P50.Show(report.Millis(s.Latency.P50), s.Timings()), report.P99.Show(report.Millis(s.Latency.P99), s.Timings()),
			report.Thousands(int64(s.Failed)), report.Span(s.Seconds), limitedBy, flaw)
	}
}

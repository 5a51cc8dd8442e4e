package sweep

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sirupsen/logrus"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// liveEvery is how often the metrics go out while a step is measured.
const liveEvery = time.Second

// stepRun is one step while it runs.
type stepRun struct {
	*Executor

	out           chan<- metrics.SampleContainer
	clients, here int64 // in the step, and of those in this instance's segment
	repeat        int
	step          *measure.Step
	cpu           *cpuMeter
	live          *liveMetrics
	logger        *logrus.Entry

	mu     sync.Mutex
	abort  error // what a script's test.abort said
	cancel context.CancelCauseFunc
}

func newStepRun(
	e *Executor, out chan<- metrics.SampleContainer, clients, here int64, repeat int, server *serverProcess,
) *stepRun {
	r := &stepRun{
		Executor: e, out: out, clients: clients, here: here, repeat: repeat,
		cpu:    newCPUMeter(server),
		logger: e.logger.WithField("clients", clients),
	}
	plan := measure.Plan{
		Operations: uint64(e.config.Iterations.Int64),
		Duration:   e.config.Duration.TimeDuration(),
		Warmup:     e.config.Warmup.TimeDuration(),
	}
	r.step = measure.NewStep(int(here), plan, r.logFault)
	r.step.OnStart(r.cpu.start)
	r.live = newLiveMetrics(r)

	return r
}

// run runs the step to its end and returns what it came to. The error is that of a script which aborted the test, or
// of k6 when it had no VUs.
func (r *stepRun) run(parent context.Context) ([]report.Step, error) {
	// The context of the clients ends with the parent, but not before the step knows that it was interrupted: what is
	// cut off would count as failed.
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	defer cancel(errStepOver)
	r.cancel = cancel

	stopOnInterrupt := context.AfterFunc(parent, func() {
		r.step.Interrupt()
		cancel(context.Cause(parent))
	})
	defer stopOnInterrupt()
	defer r.limit(cancel)()

	ended := make(chan struct{})
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.watch(ended)
	}()

	err := r.runClients(ctx)
	close(ended)
	<-watched

	reading := r.step.Read()
	spent := r.cpu.spent()
	r.live.last(&reading)
	steps, encodeErr := report.NewSteps(
		&reading, int(r.clients), r.repeat, uint64(r.config.Iterations.Int64), r.config.op(), spent)
	r.log(steps)

	return steps, errors.Join(err, r.abort, encodeErr)
}

// limit arms maxDuration and gracefulStop; the returned function disarms them.
func (r *stepRun) limit(cancel context.CancelCauseFunc) func() {
	maxDuration := time.AfterFunc(r.config.MaxDuration.TimeDuration(), func() {
		r.logger.Warnf("maxDuration (%s) is over before the clients are done: the step is incomplete",
			r.config.MaxDuration.TimeDuration())
		r.step.Stop()
	})
	gracefulStop := time.AfterFunc(r.config.MaxDuration.TimeDuration()+r.config.GetGracefulStop(), func() {
		cancel(errCutOff(r.config))
	})

	return func() {
		maxDuration.Stop()
		gracefulStop.Stop()
	}
}

// watch sends the metrics of every second in which the step is measured.
func (r *stepRun) watch(ended <-chan struct{}) {
	r.collector.adjust()
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()

	line := r.step.Line()
	for {
		select {
		case <-ended:
			return
		case <-line:
			line = nil // that it is open needs to be told only once
			r.collector.adjust()
			ticker.Reset(liveEvery)
		case at := <-ticker.C:
			r.collector.adjust()
			if line == nil {
				reading := r.step.Read()
				r.live.tick(at, &reading)
			}
		}
	}
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
		wg.Go(func() { c.work(ctx) })
	}

	return nil
}

// aborted keeps a script's wish to abort the whole test and ends the step at once, as k6's own executors do.
func (r *stepRun) aborted(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.abort == nil {
		r.abort = err
	}
	r.step.Interrupt()
	r.cancel(err)
}

// logFault says what went wrong with an operation, once for each different text.
func (r *stepRun) logFault(err error) {
	logger := r.logger
	var script *scriptError
	if errors.As(err, &script) && script.at != "" {
		logger = logger.WithField("at", script.at)
	}
	logger.Errorf("operation failed: %s", err)
}

func (r *stepRun) log(steps []report.Step) {
	for i := range steps {
		s := &steps[i]
		r.logger.WithField("op", s.Op).Infof("%s ops/s, p50 %s, p99 %s, %s failed, %s",
			report.Thousands(int64(s.OpsPerSecond)), report.Millis(s.Latency.P50), report.Millis(s.Latency.P99),
			report.Thousands(int64(s.Failed)), report.Span(s.Seconds))
	}
}

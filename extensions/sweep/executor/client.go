package executor

import (
	"cmp"
	"context"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

type client struct {
	run      *stepRun
	measured *measure.Client
	vu       lib.InitializedVU
	tap      *k6x.Tap // sees samples that fail an operation; may be nil

	activations int
	deactivated chan struct{}
	resting     bool // the client has done its share
}

// work does the client's share of the step, from activating the VU to returning it.
//
// It calls the scenario's function once, as the client's session. A function that calls sweep.run
// does its whole share in it. A plain function has connected in that first call; it is then called
// again for each operation.
func (c *client) work(parent context.Context) {
	ctx, cancel := context.WithCancelCause(parent)
	state := k6x.VUState(c.vu)
	k6x.TakeTurns(state)
	c.openTap(state)
	session := &k6x.Session{
		Client: c.measured, Op: c.run.op(), Step: c.run.config.Info(c.run.Step), OpNames: c.run.config.AllowedOps(c.run.Step),
		Tags: c.run.Tags(), Tap: c.tap, NoDuet: c.run.config.NoDuet(c.run.state.ExecutionTuple),
		Rest: func() { c.rest(parent) },
	}
	ctx = k6x.WithSession(ctx, session)
	c.deactivated = make(chan struct{}, 2) // at most two activations

	active := c.activate(ctx, map[string]string{"phase": stream.Warmup})
	switch err := c.once(ctx, active); {
	case ctx.Err() != nil:
	case c.measured.Finished():
		c.run.ran.Add(1)
		if err != nil && !errext.IsInterruptError(err) { // an abort is not a failed operation
			c.measured.Fault(c.run.op(), err)
		}
	default:
		c.repeat(ctx, session, active, cmp.Or(err, c.tap.Fault()))
	}

	c.rest(parent)
	session.End()
	cancel(errStepOver)
	for range c.activations {
		<-c.deactivated
	}
	c.run.results.Guard.Forget(c.tap)
	c.tap.Close()
	c.run.state.ReturnVU(c.vu, false)
}

// rest waits until all clients have done their share. Otherwise the rest of the script and closing
// connections would take CPU time while other clients are measured.
func (c *client) rest(parent context.Context) {
	if c.resting {
		return
	}
	c.resting = true
	c.measured.Leave()
	c.run.state.ModCurrentlyActiveVUsCount(-1)
	c.run.step.AwaitEnd(parent)
}

// repeat calls the plain function until the client's share is done.
func (c *client) repeat(ctx context.Context, session *k6x.Session, active lib.ActiveVU, first error) {
	switch {
	case first == nil:
		c.run.plain.Add(1)
		c.run.step.Succeeded()
	case !errext.IsInterruptError(first):
		c.measured.Fault(c.run.op(), first) // logged but not counted, before the measured phase
	}
	measure := func() {
		session.Measure()
		active = c.activate(ctx, c.run.Tags())
	}
	// The only errors are an abort and the end of the step, which are handled elsewhere.
	_ = c.measured.Run(ctx, c.run.op(), measure, func() error { return c.operation(ctx, active) })
}

func (c *client) operation(ctx context.Context, active lib.ActiveVU) error {
	err := c.once(ctx, active)
	failed := c.tap.Fault()
	c.measured.Requested(c.tap.Requested())
	if err != nil || c.measured.Finished() { // code after sweep.run is not an operation
		return err
	}

	return failed
}

// openTap lets the client see the samples of its VU.
func (c *client) openTap(state *lib.State) {
	if state == nil {
		c.run.noTap.Do(func() {
			c.run.logger.Error("this version of k6 does not show the samples of a VU: only exceptions make an operation fail")
		})
	}
	c.tap = k6x.NewTap(state)
	c.tap.Open()
	c.run.results.Guard.Watch(c.tap)
}

// once runs one iteration and handles its outcome as k6's executors do.
func (c *client) once(ctx context.Context, active lib.ActiveVU) error {
	err := iteration(active)
	if ctx.Err() != nil {
		c.run.state.AddInterruptedIterations(1)

		return context.Cause(ctx)
	}
	if errext.IsInterruptError(err) {
		c.run.state.AddInterruptedIterations(1)
		c.run.aborted(testrun.NewAborted(err))

		return measure.Stop(err)
	}
	c.run.state.AddFullIterations(1)
	if err == nil {
		return nil
	}

	return testrun.Thrown(err)
}

// iteration runs one iteration. It returns a panic as an error, so that k6 continues and writes a
// report.
func iteration(active lib.ActiveVU) (err error) {
	defer crash.Catch(&err)

	return active.RunOnce()
}

func (c *client) activate(ctx context.Context, tags map[string]string) lib.ActiveVU {
	c.activations++
	for name, value := range c.run.config.GetTags() {
		tags[name] = value
	}

	return c.vu.Activate(&lib.VUActivationParams{
		RunContext:               ctx,
		Scenario:                 c.run.config.Name,
		Exec:                     c.run.config.GetExec(),
		Env:                      c.run.config.GetEnv(),
		Tags:                     tags,
		DeactivateCallback:       func(lib.InitializedVU) { c.deactivated <- struct{}{} },
		GetNextIterationCounters: c.run.iterations.next,
	})
}

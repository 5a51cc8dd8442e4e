package executor

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

type progress struct {
	config *Config
	specs  []Step // all steps; nil in a search
	steps  int    // number of steps, at most

	mu      sync.Mutex
	waiting []string // reason for the wait before the first step; nil: no wait
	index   int      // current step, from 1
	spec    Step
	current *stepRun // nil if this instance has no client in it
}

func newProgress(c *Config) *progress {
	p := &progress{config: c, steps: c.MostSteps()}
	if c.Find == nil {
		p.specs = c.Steps()
	}

	return p
}

// wait shows a wait before the first step.
func (p *progress) wait(what, known string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waiting = []string{what, known}
}

func (p *progress) next(s Step, step *stepRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index++
	p.spec = s
	p.current = step
	p.waiting = nil
}

// again shows another attempt at the current step.
func (p *progress) again(step *stepRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = step
}

// read returns the completed share of the sweep, and the current step's figures in at most three
// columns, the limit of k6.
func (p *progress) read() (float64, []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != nil {
		return 0, p.waiting
	}
	if p.current == nil {
		return p.part(0), []string{fmt.Sprintf("step %d/%d", p.index, p.steps)}
	}

	if !p.current.step.Started() {
		return p.part(0), []string{p.step(), p.current.step.Preparing()}
	}
	count, elapsed := p.current.step.Progress()
	done, at, share := p.done(count, elapsed)

	return p.part(done), []string{p.step(), share, p.figures(done, at, elapsed)}
}

func (p *progress) step() string {
	what := report.Plural(int(p.spec.Clients), "client")
	if p.spec.Rate > 0 {
		what = stream.FormatNumber(p.spec.Rate) + " ops/s"
	}
	if p.spec.Variant != "" {
		what += ", " + p.spec.Variant
	}
	if p.config.Find != nil {
		return fmt.Sprintf("finding %s: %s", p.config.Find.Bound(), what)
	}

	return fmt.Sprintf("step %d/%d: %s", p.index, p.steps, what)
}

// figures returns the last second's ops/s and p99, and the time left. It omits a time that the step
// already shows, to fit 80 columns.
func (p *progress) figures(done float64, at, elapsed time.Duration) string {
	var figures []string
	if rate, p99 := p.current.live.Latest(); rate > 0 {
		figures = append(figures, report.Thousands(int64(rate))+"/s", "p99 "+report.Millis(p99))
	}
	if left := left(done, at, elapsed); left > 0 && !p.config.Duration.Valid {
		figures = append(figures, left.Round(time.Second).String()+" left")
	}

	return strings.Join(figures, ", ")
}

// left estimates the remaining time from the share done at a time; 0 if unknown.
func left(done float64, at, elapsed time.Duration) time.Duration {
	if done <= 0 || done >= 1 {
		return 0
	}

	return max(time.Duration(float64(at)/done)-elapsed, 0)
}

func (p *progress) done(count uint64, elapsed time.Duration) (part float64, at time.Duration, words string) {
	if p.config.Duration.Valid {
		duration := p.config.Duration.TimeDuration()

		return min(float64(elapsed)/float64(duration), 1), elapsed,
			fmt.Sprintf("%s/%s", min(elapsed, duration).Round(time.Second), duration)
	}
	if p.config.UntilDone.Bool {
		return 0, elapsed, report.Thousands(int64(count)) + " ops"
	}
	if asked := p.config.Precision.Aim; asked.Some() {
		reached := p.current.reached.Load()
		if reached == nil {
			return 0, elapsed, "until " + p.config.Precision.Words()
		}

		return reached.aim.Done(asked), reached.at, Known(reached.aim, asked) + " of " + p.config.Precision.Words()
	}
	total := p.config.Iterations.Int64 * p.current.here

	return min(float64(count)/float64(total), 1), elapsed,
		fmt.Sprintf("%s/%s ops", report.Thousands(int64(count)), report.Thousands(total))
}

// part returns the share of the whole sweep that is done. Steps with a number of operations per
// client weigh as much as they have clients.
func (p *progress) part(done float64) float64 {
	weigh := func(step int) float64 {
		if !p.config.Iterations.Valid || p.specs == nil {
			return 1
		}

		return float64(p.specs[step].Clients)
	}

	var behind, all float64
	for step := range p.steps {
		all += weigh(step)
		switch {
		case step < p.index-1:
			behind += weigh(step)
		case step == p.index-1:
			behind += weigh(step) * done
		}
	}

	return min(behind/all, 1)
}

func (p *progress) frozen() k6x.Progress {
	done, right := p.read()

	return func() (float64, []string) { return done, right }
}

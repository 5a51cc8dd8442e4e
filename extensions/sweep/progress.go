package sweep

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/report"
)

// progress is what k6's progress bar shows of a sweep.
type progress struct {
	config *Config
	steps  int

	mu      sync.Mutex
	index   int // of the current step, from 1
	current *stepRun
}

func (p *progress) next(step *stepRun) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index++
	p.current = step
}

func (p *progress) skip() { p.next(nil) }

// read returns the part of the whole sweep that is done, and the figures of the current step in at most three
// columns: more make k6 panic.
func (p *progress) read() (float64, []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return p.part(0), []string{fmt.Sprintf("step %d/%d", p.index, p.steps)}
	}

	step := fmt.Sprintf("step %d/%d: %d clients", p.index, p.steps, p.current.clients)
	if !p.current.step.Started() {
		return p.part(0), []string{step, "connecting and warming up"}
	}
	count, elapsed := p.current.step.Progress()
	done, share := p.done(count, elapsed)

	return p.part(done), []string{step, share, p.figures(done, elapsed)}
}

// figures are the operations a second and p99 of the last second, and the time that the step still needs.
func (p *progress) figures(done float64, elapsed time.Duration) string {
	var figures []string
	if rate, p99 := p.current.live.latest(); rate > 0 {
		figures = append(figures, report.Thousands(int64(rate))+"/s", "p99 "+report.Millis(p99))
	}
	if done > 0 && done < 1 {
		left := time.Duration(float64(elapsed) * (1 - done) / done)
		figures = append(figures, left.Round(time.Second).String()+" left")
	}

	return strings.Join(figures, ", ")
}

// done is the part of the current step that is done, and the same in words.
func (p *progress) done(count uint64, elapsed time.Duration) (float64, string) {
	if p.config.Duration.Valid {
		duration := p.config.Duration.TimeDuration()

		return min(float64(elapsed)/float64(duration), 1),
			fmt.Sprintf("%s/%s", min(elapsed, duration).Round(time.Second), duration)
	}
	total := p.config.Iterations.Int64 * p.current.here

	return min(float64(count)/float64(total), 1),
		fmt.Sprintf("%s/%s ops", report.Thousands(int64(count)), report.Thousands(total))
}

// part is the part of the whole sweep that is done when the current step is done as far as that. Where clients do a number
// of operations, a step weighs as much as it has clients.
func (p *progress) part(done float64) float64 {
	weigh := func(step int) float64 {
		if p.config.Duration.Valid {
			return 1
		}

		return float64(p.config.Clients[step/int(p.config.Repeats.Int64)])
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

// frozen is the progress as it is now, for ever.
func (p *progress) frozen() k6glue.Progress {
	done, right := p.read()

	return func() (float64, []string) { return done, right }
}

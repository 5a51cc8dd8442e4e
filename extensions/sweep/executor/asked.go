package executor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// k6 drops the scenarios of a script when it is given --vus, --duration, --iterations or --stage,
// in any of the places where it reads options. Then no executor of a sweep is made, and k6 runs the
// script's function by itself.

// askedSweeps are the sweeps that the options of a script name, by scenario.
type askedSweeps struct {
	mu sync.Mutex
	// asked are the sweeps that k6 has read from options; true: with no client in this instance's
	// segment.
	asked map[string]bool
	// runs are the sweeps that have begun.
	runs   map[string]bool
	atExit sync.Once
}

// inProcess are the sweeps of this process: k6 gives an executor's options nothing by which they
// could tell their test.
var inProcess askedSweeps //nolint:gochecknoglobals // see above

// ask says that options name a sweep.
func (p *askedSweeps) ask(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked == nil {
		p.asked, p.runs = map[string]bool{}, map[string]bool{}
	}
	p.asked[scenario] = false
	p.atExit.Do(func() { k6glue.AtExit(p.ended) })
}

// idle says that this instance's segment has no part in the sweep.
func (p *askedSweeps) idle(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, is := p.asked[scenario]; is {
		p.asked[scenario] = true
	}
}

// began says that a sweep has begun.
func (p *askedSweeps) began(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs != nil {
		p.runs[scenario] = true
	}
}

// DroppedSweeps are the scenarios that were asked for and have no executor in the test run.
func DroppedSweeps(r *testrun.Results) (scenarios []string) { return inProcess.dropped(r) }

func (p *askedSweeps) dropped(r *testrun.Results) (scenarios []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, scenario := range slices.Sorted(maps.Keys(p.asked)) {
		if _, has := r.Ended(scenario); !has && !p.asked[scenario] {
			scenarios = append(scenarios, scenario)
		}
	}

	return scenarios
}

// ended sees to it that a run in which no sweep ran does not exit with 0, also when its script
// knows nothing of sweeps but the executor's name.
func (p *askedSweeps) ended(ran bool, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !ran || failed != nil || len(p.runs) > 0 {
		return
	}
	var missing []string
	for _, scenario := range slices.Sorted(maps.Keys(p.asked)) {
		if !p.asked[scenario] {
			missing = append(missing, scenario)
		}
	}
	if len(missing) == 0 {
		return
	}
	k6glue.Logger().Error(ErrDropped(missing))
	k6glue.FailExit(exitcodes.InvalidConfig)
}

// ErrDropped says which option has taken the place of sweeps, and what to use instead.
func ErrDropped(scenarios []string) error {
	return fmt.Errorf("no sweep runs: %s takes the place of the script's scenarios (%s); use -e DURATION, ITERATIONS or "+
		"CLIENTS with the scenarios of xk6-sweep, and duration, iterations or clients of the sweep's options in a script of your own",
		k6glue.Overriding(), strings.Join(scenarios, ", "))
}

package executor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/operr"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// k6 drops a script's scenarios when --vus, --duration, --iterations or --stage is set anywhere. It
// then makes no executor and runs the script's function itself.

type configuredSweeps struct {
	mu sync.Mutex
	// configured has the sweeps in the options; true: no client in this instance's segment.
	configured map[string]bool
	// runs has the sweeps that have begun.
	runs   map[string]bool
	atExit sync.Once
}

// inProcess has the sweeps of this process, because an executor's options have no link to their
// test.
var inProcess configuredSweeps //nolint:gochecknoglobals // see above

func (p *configuredSweeps) ask(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.configured == nil {
		p.configured, p.runs = map[string]bool{}, map[string]bool{}
	}
	p.configured[scenario] = false
	p.atExit.Do(func() { k6glue.AtExit(p.ended) })
}

// idle records that this instance's segment has no client of the sweep.
func (p *configuredSweeps) idle(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, is := p.configured[scenario]; is {
		p.configured[scenario] = true
	}
}

func (p *configuredSweeps) began(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs != nil {
		p.runs[scenario] = true
	}
}

// DroppedSweeps returns the scenarios in the options that have no executor in the test run.
func DroppedSweeps(r *testrun.Results) (scenarios []string) { return inProcess.dropped(r) }

func (p *configuredSweeps) dropped(r *testrun.Results) (scenarios []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, scenario := range slices.Sorted(maps.Keys(p.configured)) {
		if _, has := r.Done(scenario); !has && !p.configured[scenario] {
			scenarios = append(scenarios, scenario)
		}
	}

	return scenarios
}

// ended makes a run without any sweep exit with an error, even if its script does not import
// k6/x/sweep.
func (p *configuredSweeps) ended(ran bool, failed error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.runs) == 0 && operr.Unreachable(failed) { // in setup
		text, _ := errext.Format(failed)
		k6glue.LogInstead(text, operr.InSetup(text))
		k6glue.FailExit(exitcodes.ScriptAborted)
	}
	if failed != nil && strings.HasPrefix(failed.Error(), "Uncaught (in promise)") {
		k6glue.FailExit(exitcodes.ScriptException) // as an exception outside of a promise; k6 has no code for it
	}
	if !ran || failed != nil || len(p.runs) > 0 {
		return
	}
	var missing []string
	for _, scenario := range slices.Sorted(maps.Keys(p.configured)) {
		if !p.configured[scenario] {
			missing = append(missing, scenario)
		}
	}
	if len(missing) == 0 {
		return
	}
	k6glue.Logger().Error(ErrDropped(missing))
	k6glue.FailExit(exitcodes.InvalidConfig)
}

// ErrDropped says what k6 runs in place of the sweeps, and which options to use instead.
func ErrDropped(scenarios []string) error {
	return fmt.Errorf("no sweep runs: k6's options vus, duration, iterations and stages replace the script's scenarios (%s), whether "+
		"they are flags, in the environment (K6_VUS), in a configuration file or in the script; use -e DURATION, ITERATIONS or "+
		"CLIENTS with the scenarios of xk6-sweep, and duration, iterations or clients of the sweep's options in a script of your own",
		strings.Join(scenarios, ", "))
}

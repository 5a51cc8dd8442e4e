package executor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// k6 drops a script's scenarios when --vus, --duration, --iterations or --stage is set anywhere. It
// then makes no executor and runs the script's function itself.

type droppedSweeps struct {
	mu sync.Mutex
	// pending has the sweeps in the options without an executor yet.
	pending map[string]bool
	begun   atomic.Bool // a sweep has begun
	atExit  sync.Once
}

// inProcess has the sweeps of this process, because an executor's options have no link to their
// test.
var inProcess = droppedSweeps{pending: map[string]bool{}} //nolint:gochecknoglobals // see above

func (p *droppedSweeps) asked(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[scenario] = true
	p.atExit.Do(func() { k6x.AtExit(p.ended) })
}

// settled records that a sweep has an executor, or no client in this instance's segment.
func (p *droppedSweeps) settled(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pending, scenario)
}

// DroppedSweeps returns the scenarios in the options that have no executor in the test run.
func DroppedSweeps() []string {
	inProcess.mu.Lock()
	defer inProcess.mu.Unlock()

	return slices.Sorted(maps.Keys(inProcess.pending))
}

// ended makes a run without any sweep exit with an error, even if its script does not import
// k6/x/sweep.
func (p *droppedSweeps) ended(ran bool, failed error) {
	if !p.begun.Load() && testrun.Unreachable(failed) { // in setup
		text, _ := errext.Format(failed)
		k6x.LogInstead(text, testrun.InSetup(text))
		k6x.FailExit(exitcodes.ScriptAborted)
	}
	if failed != nil && strings.HasPrefix(failed.Error(), "Uncaught (in promise)") {
		k6x.FailExit(exitcodes.ScriptException) // as an exception outside of a promise; k6 has no code for it
	}
	if dropped := DroppedSweeps(); ran && failed == nil && len(dropped) > 0 {
		k6x.Logger().Error(ErrDropped(dropped))
		k6x.FailExit(exitcodes.InvalidConfig)
	}
}

// ErrDropped says what k6 runs in place of the sweeps, and which options to use instead.
func ErrDropped(scenarios []string) error {
	return fmt.Errorf("no sweep runs: k6's options vus, duration, iterations and stages replace the script's scenarios (%s), whether "+
		"they are flags, in the environment (K6_VUS), in a configuration file or in the script; use -e DURATION, ITERATIONS or "+
		"CLIENTS with the scenarios of xk6-sweep, and duration, iterations or clients of the sweep's options in a script of your own",
		strings.Join(scenarios, ", "))
}

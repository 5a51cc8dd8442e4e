package sweep

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/errext"
	"go.k6.io/k6/v2/errext/exitcodes"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
)

// k6 drops the scenarios of a script when it is given --vus, --duration, --iterations or --stage,
// in any of the places where it reads options. Then no executor of a sweep is made, and k6 runs the
// script's function by itself.

// askedSweeps are the sweeps that the options of a script name, by scenario.
type askedSweeps struct {
	mu     sync.Mutex
	asked  map[string]bool // sweeps that k6 has read from options; true: with no client in this instance's segment
	runs   map[string]bool // sweeps that have begun
	atExit sync.Once
}

// inProcess are the sweeps of this process: k6 gives an executor's options nothing by which they
// could tell their test.
var inProcess askedSweeps //nolint:gochecknoglobals // see above

// askedConfig is how k6 reads the options of a scenario with this executor.
func askedConfig(name string, rawJSON []byte) (lib.ExecutorConfig, error) {
	inProcess.ask(name)

	return newConfig(name, rawJSON)
}

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

func (p *askedSweeps) began(scenario string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.runs != nil {
		p.runs[scenario] = true
	}
}

// dropped are the scenarios that were asked for and have no executor.
func (p *askedSweeps) dropped(r *results) (scenarios []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, scenario := range slices.Sorted(maps.Keys(p.asked)) {
		if _, has := r.ended(scenario); !has && !p.asked[scenario] {
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
	k6glue.Logger().Error(errDropped(missing))
	k6glue.FailExit(exitcodes.InvalidConfig)
}

// errDropped says which option has taken the place of sweeps, and what to use instead.
func errDropped(scenarios []string) error {
	return fmt.Errorf("no sweep runs: %s takes the place of the script's scenarios (%s); use -e DURATION, OPS or CLIENTS with the "+
		"scenarios of xk6-sweep, and duration, iterations or clients of the sweep's options in a script of your own",
		k6glue.Overriding(), strings.Join(scenarios, ", "))
}

// refuseDropped throws when a VU is initialised whose script has sweeps that k6 has dropped, which
// ends the test before it begins. When the script's options are read, before there is any VU, no
// test has executors yet.
func (m *module) refuseDropped() {
	rt := m.vu.Runtime()
	id := rt.Get("__VU")
	if id == nil || id.ToInteger() == 0 {
		return
	}
	if scenarios := inProcess.dropped(m.results); len(scenarios) > 0 {
		throw(rt, errDropped(scenarios))
	}
}

// errNotHere is why sweep.run ends the test under another executor.
var errNotHere = errors.New("sweep.run works in scenarios with executor '" + ExecutorType + "' only, " +
	"or in those that sweep.options has made portable")

// notInASweep ends the test: sweep.run was called by a VU that is no client of a step. Thrown, the
// error would come again with each iteration, and k6 would exit with 0.
func (m *module) notInASweep() {
	rt := m.vu.Runtime()
	state := m.vu.State()
	if state != nil {
		if scenarios := m.results.portableWithout(state.Options.Scenarios); len(scenarios) > 0 {
			interrupt(rt, errDropped(scenarios))

			return
		}
	}
	interrupt(rt, errNotHere)
}

// portableWithout are the portable sweeps that have no step among a test's scenarios.
func (r *results) portableWithout(scenarios lib.ScenarioConfigs) (missing []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	there := map[string]bool{}
	for name, step := range r.portable {
		_, is := scenarios[name]
		there[step.sweep.config.Name] = there[step.sweep.config.Name] || is
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if !there[name] {
			missing = append(missing, name)
		}
	}

	return missing
}

// interrupt ends the whole test with an error, as k6's test.abort does. It takes effect when the
// call has returned.
func interrupt(rt *sobek.Runtime, err error) {
	rt.Interrupt(wrongOptions{&errext.InterruptError{Reason: err.Error()}})
}

// wrongOptions is an interrupt whose cause are options that make no sense.
type wrongOptions struct{ *errext.InterruptError }

// Unwrap lets k6 find out that the test is to end.
func (e wrongOptions) Unwrap() error { return e.InterruptError }

// ExitCode is k6's exit code for such options.
func (wrongOptions) ExitCode() exitcodes.ExitCode { return exitcodes.InvalidConfig }

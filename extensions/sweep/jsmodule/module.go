package jsmodule

import (
	"context"
	"sync"

	"go.k6.io/k6/v2/js/common"
	"go.k6.io/k6/v2/js/modules"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/metrics"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

// ImportPath is the module's name in scripts.
const ImportPath = "k6/x/sweep"

// New returns the JavaScript module.
func New() modules.Module { return &rootModule{} }

type rootModule struct {
	// registered runs once, to register the exports' names.
	registered sync.Once
}

// NewModuleInstance registers the metrics for the script's thresholds, and returns the VU's module.
func (r *rootModule) NewModuleInstance(vu modules.VU) modules.Instance {
	registered, err := stream.Register(vu.InitEnv().Registry)
	if err != nil {
		common.Throw(vu.Runtime(), err)
	}
	test := vu.InitEnv().TestPreInitState
	m := &module{
		root: r, vu: vu, begun: k6x.NewBegun(vu), results: testrun.Of(test.Registry), metrics: registered, test: test,
	}
	m.results.Watch(test, func() []string { return executor.PortableMissed(m.results) })
	m.exports = k6x.NewCallable(vu, "sweep", m.options, map[string]any{
		"run":      m.run,
		"done":     m.done,
		"ready":    m.ready,
		"op":       m.op,
		"options":  m.options,
		"gates":    m.gates,
		"step":     m.step,
		"meta":     m.meta,
		"mark":     m.mark,
		"report":   m.report,
		"settings": m.declare,
		"refuse":   m.refuse,
		"ycsb":     m.ycsb,
	}, ofSteps)
	k6x.HintAtMetrics(vu)
	m.refuseDropped()

	return m
}

// ofSteps are properties of sweep.step() that people look for in the module.
var ofSteps = map[string]string{ //nolint:gochecknoglobals // a table
	"variant": "sweep.step().variant is that of the step at work",
	"clients": "sweep.step().clients is that of the step at work",
	"rate":    "sweep.step().rate is that of the step at work",
	"phase":   "sweep.step().phase is that of the step at work",
	"repeat":  "sweep.step().repeat is that of the step at work",
}

type module struct {
	root    *rootModule
	vu      modules.VU
	results *testrun.Results
	metrics *stream.Metrics
	exports *k6x.Exported
	test    *lib.TestPreInitState
	running bool
	// begun counts asynchronous work that the script has begun.
	begun *k6x.Begun

	// session is the session that the recorders belong to.
	session   *k6x.Session
	recorders map[string]*measure.Recorder

	// tap sees the samples of the iteration's active operations, under k6's own executors.
	tap *k6x.Tap
	// underWay counts those operations.
	underWay int
	// leftBehind is set if an operation left a promise or a timer, which may still emit samples; the
	// tap then stays open.
	leftBehind bool
	// iteration is the iteration of the last operation.
	iteration context.Context //nolint:containedctx // it is compared with the next operation's
}

// Exports returns the module's exports.
func (m *module) Exports() modules.Exports { return m.exports.Exports(&m.root.registered) }

// setStepTags adds the step's tags to samples of the measured phase.
func (m *module) setStepTags(tags map[string]string) {
	m.vu.State().Tags.Modify(func(t *metrics.TagsAndMeta) {
		t.Tags = t.Tags.Without("phase").WithTagsFromMap(tags)
	})
}

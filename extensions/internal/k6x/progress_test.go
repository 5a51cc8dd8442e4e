package k6x

import (
	"fmt"
	"io"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"
	"go.k6.io/k6/v2/lib/executor"
	"go.k6.io/k6/v2/metrics"
)

// This fails if a new version of k6 renames the fields.
func TestSetProgress(t *testing.T) {
	et, err := lib.NewExecutionTuple(nil, nil)
	require.NoError(t, err)
	registry := metrics.NewRegistry()
	run := &lib.TestRunState{TestPreInitState: &lib.TestPreInitState{Registry: registry}, RunTags: registry.RootTagSet()}
	log := logrus.New()
	log.SetOutput(io.Discard)
	config := executor.NewConstantVUsConfig("rollup")
	base := executor.NewBaseExecutor(config, lib.NewExecutionState(run, et, 1, 1), logrus.NewEntry(log))
	bar := base.GetProgress()
	render := func() string { return bar.Render(0, 0).String() }

	require.Equal(t, "rollup   [--------------------------------------]", render())

	done, step := 0.5, 1
	progress := func() (float64, []string) { return done, []string{fmt.Sprintf("step %d/3", step), "10 ops"} }
	SetProgress(bar, progress, StatusRunning)
	require.Equal(t, "rollup   [==================>-------------------] step 1/3  10 ops", render())

	done, step = 1, 3
	require.Equal(t, "rollup   [======================================] step 3/3  10 ops", render(), "asked again each time")

	SetProgress(bar, progress, StatusDone)
	require.Equal(t, "rollup ✓ [======================================] step 3/3  10 ops", render())

	SetProgress(bar, func() (float64, []string) { return 0, nil }, StatusInterrupted)
	require.Equal(t, "rollup ✗ [--------------------------------------]", render())
}

// Other fields change nothing and cause no panic.
func TestSetProgressOfAnotherBar(t *testing.T) {
	bar := &otherBar{progress: "text"}
	SetProgress(bar, func() (float64, []string) { return 1, nil }, StatusDone)
	require.Equal(t, &otherBar{progress: "text", calls: 1}, bar)
}

type otherBar struct {
	progress string // k6 has another type here
	calls    int
}

func (b *otherBar) Modify(options ...func(*otherBar)) {
	for _, option := range options {
		b.calls++
		option(b)
	}
}

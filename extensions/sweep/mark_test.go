package sweep_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/testrun"
)

func TestMark(t *testing.T) {
	runtime, results := newModule(t)
	runtime.MoveToVUContext(&lib.State{})
	first := results.NewScenario(testrun.Start{Name: "first"})
	before := time.Now()
	_, err := runtime.VU.Runtime().RunString(`sweep.mark('failover'); sweep.mark('back'); sweep.mark('failover')`)
	require.NoError(t, err)
	second := results.NewScenario(testrun.Start{Name: "second"})
	_, err = runtime.VU.Runtime().RunString(`sweep.mark('later')`)
	require.NoError(t, err)

	require.Len(t, first.Report.Marks, 3)
	require.Equal(t, "failover", first.Report.Marks[0].Text)
	require.EqualValues(t, 2, first.Report.Marks[0].Times, "twice within a second")
	require.WithinRange(t, first.Report.Marks[0].At, before.Round(0), time.Now())
	require.Equal(t, "back", first.Report.Marks[1].Text)
	require.Zero(t, first.Report.Marks[1].Times)
	require.Len(t, second.Report.Marks, 1)
	require.Equal(t, "later", second.Report.Marks[0].Text)
}

func TestMarkErrors(t *testing.T) {
	runtime, _ := newModule(t)
	_, message := thrownBy(t, runtime, "sweep.mark('failover')")
	require.Contains(t, message, "sweep.mark: nothing is at work in the init context")
	for _, arguments := range []string{"", "1", "''", "null", "'" + strings.Repeat("x", 201) + "'"} {
		name, message := thrownBy(t, runtime, "sweep.mark("+arguments+")")
		require.Equal(t, "TypeError", name)
		require.Contains(t, message, "sweep.mark(text) takes a string of 1 to 200 characters that says what has happened, not ")
	}
}

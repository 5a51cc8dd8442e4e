package runs

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// A client that is alone in the test, waits for each operation, and is answered by this process has
// k6 at one processor until its step is over. Others have what there is.
func TestAClientAloneThatThisProcessAnswers(t *testing.T) {
	const all = 3
	t.Setenv("GOMAXPROCS", "3")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(all))
	tuple, err := lib.NewExecutionTuple(nil, nil)
	require.NoError(t, err)
	here, elsewhere := &Shared{Far: func() bool { return false }}, &Shared{Far: Elsewhere}

	for name, c := range map[string]struct {
		shared  *Shared
		clients int
		plan    measure.Plan
		active  int64
		want    int
	}{
		"alone":               {here, 1, measure.Plan{}, 1, 1},
		"two clients":         {here, 2, measure.Plan{}, 2, all},
		"beside another VU":   {here, 1, measure.Plan{}, 2, all},
		"alone, at a rate":    {here, 1, measure.Plan{Rate: 100}, 1, all},
		"answered elsewhere":  {elsewhere, 1, measure.Plan{}, 1, all},
		"by nobody knows who": {&Shared{}, 1, measure.Plan{}, 1, all},
	} {
		t.Run(name, func(t *testing.T) {
			state := lib.NewExecutionState(&lib.TestRunState{}, tuple, 3, 3)
			state.ModCurrentlyActiveVUsCount(c.active)
			ctx := lib.WithExecutionState(t.Context(), state)
			session := &k6glue.Session{Client: measure.NewStep(c.clients, c.plan, nil).Client(0)}
			r := New(nil, c.shared, nil)
			r.session, r.client = session, session.Client

			r.holdOne(ctx)
			require.Zero(t, testing.AllocsPerRun(100, func() { // runs are made anew for each call, as those of requestBatch
				next := Runs{shared: c.shared, session: session, client: session.Client}
				next.holdOne(ctx)
			}), "nothing is kept of each")
			require.Equal(t, c.want, runtime.GOMAXPROCS(0))
			session.End()
			require.Equal(t, all, runtime.GOMAXPROCS(0), "afterwards")
		})
	}
	New(nil, here, nil).holdOne(t.Context())
	require.Equal(t, all, runtime.GOMAXPROCS(0), "outside of a sweep")
}

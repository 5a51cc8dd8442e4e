package runs

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Few clients beside a server on this machine leave it half of the processors, and loops yield to
// one of one thread, where runs ask for that; all others have a loop for each processor.
func TestLoopsShareTheProcessorsWithAServer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	answers := false
	shared := &Shared{Far: func() bool { return !answers }}
	runs := func(how Sharing) *Runs {
		r := New(nil, shared, nil)
		r.Share(how)

		return r
	}
	requireShare := func(loops int, yields bool, r *Runs, clients int, plan measure.Plan) {
		t.Helper()
		gotLoops, gotYields := r.share(measure.NewStep(clients, plan, nil))
		require.Equal(t, loops, gotLoops)
		require.Equal(t, yields, gotYields)
	}
	beside := measure.Plan{Beside: true}
	halved, yielding := runs(Sharing{Few: 8}), runs(Sharing{Few: 1, Yields: true})

	requireShare(2, false, halved, 32, beside)
	requireShare(4, false, halved, 33, beside)          // more than 8 for each processor
	requireShare(4, false, halved, 32, measure.Plan{})  // the server has processors of its own
	requireShare(4, false, runs(Sharing{}), 32, beside) // nobody has asked for it
	requireShare(2, false, yielding, 4, beside)
	requireShare(4, false, yielding, 8, beside) // they do not keep four loops busy
	requireShare(4, true, yielding, 9, beside)
	requireShare(4, false, yielding, 9, measure.Plan{})

	for _, r := range []*Runs{halved, yielding} {
		r.Pipeline(50)
		requireShare(4, false, r, 32, beside)
		r.Pipeline(1)
		requireShare(3, false, r, 8, measure.Plan{Beside: true, Rate: 2*perLoop + 1}) // a rate has its own
		answers = true
		requireShare(4, false, r, 32, beside) // who answers needs a processor of k6's
		answers = false
	}

	runtime.GOMAXPROCS(2)
	requireShare(1, false, yielding, 2, beside)
	requireShare(2, true, yielding, 5, beside)
	runtime.GOMAXPROCS(1)
	requireShare(1, false, halved, 8, beside)    // there is always one
	requireShare(1, false, yielding, 64, beside) // it waits for the server in any case
}

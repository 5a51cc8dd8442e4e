package sweep_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

func TestSweepUntilDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1, 3], "untilDone": true}`,
			`let left = 5; sweep.run(() => { if (left-- === 0) { sweep.done(); } else { sleep(10); } })`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.Empty(t, s.Warnings())
		require.Equal(t, true, rep.Params["untilDone"])
		require.Len(t, rep.Steps, 2)
		for i, clients := range []int64{1, 3} {
			require.Equal(t, 5*clients, rep.Steps[i].Operations, "the call that is done is none")
			require.True(t, rep.Steps[i].Complete)
			require.Zero(t, rep.Steps[i].PerClient)
		}
		require.NoError(t, rep.Validate())
	})
}

func TestSweepDoneElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSweep(t, `{"clients": [1], "iterations": 2}`, `sweep.run(() => sweep.done())`)
		rep, err := s.Run(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 2, rep.Steps[0].Failed)
		require.Contains(t, s.Warnings()[0], "sweep.done is for what sweep.run calls, in scenarios with untilDone: true")
	})
}

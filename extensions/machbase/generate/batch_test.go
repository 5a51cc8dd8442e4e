package generate

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBatchesAreTheRows(t *testing.T) {
	g := newStock(1, 333, Codes())
	from, to := noon.Add(10*time.Second), noon.Add(3*time.Minute+time.Second)
	var gathered []Tick
	require.NoError(t, g.TickBatches(from, to, func(columns ...any) error {
		require.Len(t, columns, 6)
		codes := columns[0].([]string)
		require.NotEmpty(t, codes)
		require.LessOrEqual(t, len(codes), BatchRows)
		for i, code := range codes {
			gathered = append(gathered, Tick{code, columns[1].([]int64)[i], columns[2].([]float64)[i], columns[3].([]float64)[i],
				columns[4].([]float64)[i], columns[5].([]float64)[i]})
		}

		return nil
	}))
	require.Equal(t, ticks(t, g, from, to), gathered)

	var minutes []Rollup
	require.NoError(t, g.RollupBatches(time.Minute, from, to, func(columns ...any) error {
		require.Len(t, columns, 7)
		for i, code := range columns[0].([]string) {
			minutes = append(minutes, Rollup{code, columns[1].([]int64)[i], columns[2].([]float64)[i], columns[3].([]float64)[i],
				columns[4].([]float64)[i], columns[5].([]float64)[i], columns[6].([]int64)[i]})
		}

		return nil
	}))
	require.Equal(t, rollups(t, g, from, to), minutes)
}

func TestSendStopsBatches(t *testing.T) {
	g := published(t, 1)
	stop := errors.New("stop")
	send := func(...any) error { return stop }
	require.Equal(t, stop, g.TickBatches(noon, noon.Add(time.Minute), send))
	require.Equal(t, stop, g.RollupBatches(time.Minute, noon, noon.Add(time.Minute), send))
	require.Equal(t, stop, g.TickBatches(noon, noon.Add(time.Second/2), send), "the last batch, which is not full")

	n := 0
	require.NoError(t, g.TickBatches(noon, noon.Add(100*time.Millisecond), func(columns ...any) error {
		n += len(columns[0].([]string))

		return nil
	}))
	require.Equal(t, 100, n, "nothing is left of the batches before")
}

func TestBatchesOfARangeThatIsRefused(t *testing.T) {
	g := published(t, 1)
	send := func(...any) error { panic("a batch") }
	require.ErrorContains(t, g.TickBatches(noon, noon.Add(-1), send), "before its start")
	require.ErrorContains(t, g.RollupBatches(time.Second, noon, noon.Add(-1), send), "before its start")
	require.NoError(t, g.TickBatches(noon, noon, send))
}

func TestNothingIsAllocatedPerRowOfABatch(t *testing.T) {
	g := published(t, 1)
	from := noon
	perMinute := testing.AllocsPerRun(5, func() {
		to := from.Add(time.Minute)
		_ = g.TickBatches(from, to, func(...any) error { return nil })
		from = to
	})
	require.LessOrEqual(t, perMinute, 8*(60_000.0/BatchRows+1))
}

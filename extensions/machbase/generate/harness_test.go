package generate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 2, 23, 12, 0, 0, 0, time.UTC)

func published(tb testing.TB, seed uint64) *Stock {
	tb.Helper()
	g, err := NewStock(seed, DefaultTPS)
	require.NoError(tb, err)

	return g
}

func (t *Tick) Time() time.Time { return time.Unix(0, t.UnixNano).UTC() }

func (r *Rollup) Time() time.Time { return time.Unix(0, r.UnixNano).UTC() }

func ticks(tb testing.TB, g *Stock, from, to time.Time) []Tick {
	tb.Helper()
	var all []Tick
	require.NoError(tb, g.Ticks(from, to, func(t *Tick) error {
		all = append(all, *t)
		return nil
	}))
	return all
}

func rollups(tb testing.TB, g *Stock, from, to time.Time) []Rollup {
	tb.Helper()
	var all []Rollup
	require.NoError(tb, g.Rollups(time.Minute, from, to, func(r *Rollup) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

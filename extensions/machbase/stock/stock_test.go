package stock

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 2, 23, 12, 0, 0, 0, time.UTC)

func published(tb testing.TB, seed uint64) *Generator {
	tb.Helper()
	return generator(tb, Options{Seed: seed, TPS: DefaultTPS, Codes: Codes()})
}

func generator(tb testing.TB, options Options) *Generator {
	tb.Helper()
	g, err := New(options)
	require.NoError(tb, err)
	return g
}

func ticks(tb testing.TB, g *Generator, from, to time.Time) []Tick {
	tb.Helper()
	var all []Tick
	require.NoError(tb, g.Ticks(from, to, func(t *Tick) error {
		all = append(all, *t)
		return nil
	}))
	return all
}

func rollups(tb testing.TB, g *Generator, from, to time.Time) []Rollup {
	tb.Helper()
	var all []Rollup
	require.NoError(tb, g.Rollups(time.Minute, from, to, func(r *Rollup) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

package generate

import (
	"errors"
	"testing"
	"time"
)

var errEnough = errors.New("enough")

func BenchmarkTicks(b *testing.B) {
	g := published(b, 1)
	b.ReportAllocs()
	b.ResetTimer()
	left := b.N
	err := g.Ticks(noon, noon.AddDate(10, 0, 0), func(*Tick) error {
		if left--; left == 0 {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		b.Fatal(err)
	}
}

func BenchmarkLoaderMinute(b *testing.B) {
	g := published(b, 1)
	ticks, rows := 0, 0
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		from := noon.Add(time.Duration(i) * time.Minute)
		to := from.Add(time.Minute)
		if err := g.Ticks(from, to, func(*Tick) error { ticks++; return nil }); err != nil {
			b.Fatal(err)
		}
		if err := g.Rollups(time.Minute, from, to, func(*Rollup) error { rows++; return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(2*ticks), "ns/tick")
}

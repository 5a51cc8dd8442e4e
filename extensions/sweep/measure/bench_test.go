package measure

import (
	"math/rand/v2"
	"testing"
	"time"
)

// Recording one operation: the histogram alone, and with the slots that keep what the step does
// over its time. It allocates nothing.
func BenchmarkRecord(b *testing.B) {
	for name, keeps := range map[string]bool{"with": true, "without": false} {
		b.Run(name, func(b *testing.B) {
			s := NewStep(1, Plan{Operations: 1}, nil)
			c := s.Client(0)
			c.measuring = true
			r := c.Recorder("op")
			if !keeps {
				r.tally.overTime = nil
			}
			durations := skewed(1 << 12)
			for _, d := range durations {
				r.Ok(d) // the pages of the histogram are there
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				r.Ok(durations[i%len(durations)])
			}
		})
	}
}

// Reading a step of 512 clients: its end has to wait for that.
func BenchmarkReadOf512Clients(b *testing.B) {
	const clients = 512
	s := NewStep(clients, Plan{Operations: 1}, nil)
	durations := skewed(1 << 12)
	for i := range clients {
		c := s.Client(i)
		c.measuring = true
		r := c.Recorder("op")
		for _, d := range durations {
			r.Ok(d)
		}
		c.started.Store(1)
		c.Leave()
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := s.Read(); r.Op("op").Durations.Count != clients*int64(len(durations)) {
			b.Fatal("operations are missing")
		}
	}
}

// skewed are durations as stores have them: most near 1 ms, a few far above.
func skewed(n int) []time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	durations := make([]time.Duration, n)
	for i := range durations {
		durations[i] = time.Duration(float64(time.Millisecond) * (0.5 + random.ExpFloat64()))
	}

	return durations
}

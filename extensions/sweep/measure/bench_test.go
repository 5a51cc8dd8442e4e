package measure

import (
	"math/rand/v2"
	"runtime"
	"strconv"
	"testing"
	"time"
)

func BenchmarkRecord(b *testing.B) {
	s := NewStep(1, Plan{Operations: 1}, nil)
	c := s.Client(0)
	c.measuring = true
	r := c.Recorder("op")
	durations := skewed(1 << 12)
	for _, d := range durations {
		r.Ok(d) // allocates the histogram's pages
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Ok(durations[i%len(durations)])
	}
}

// The slot held 500 operations; the step is a minute long.
func BenchmarkEndOfASlot(b *testing.B) {
	const minute = 938
	var s *slots
	var k *kind
	durations := skewed(1 << 12)
	var took time.Duration
	for i := 0; b.Loop(); i++ {
		if i%minute == 0 {
			s = newSlots()
			s.open(now(), ShortestSlot)
			s.timer.Stop()
			k = newKind("op", false, 2)
			s.keep(k)
		}
		for j := range 500 {
			k.of(j).ok.count(int64(durations[(i*500+j)%len(durations)]))
		}
		begin := now()
		s.tick(time.Duration(s.next.Load()))
		took += now() - begin
	}
	b.ReportMetric(took.Seconds()*1e6/float64(b.N), "us/slot")
}

// Memory of a long step with the maximum number of slots and names.
func BenchmarkSlotsOfAStep(b *testing.B) {
	durations := skewed(1 << 12)
	for _, kinds := range []int{1, mostKinds} {
		b.Run(strconv.Itoa(kinds), func(b *testing.B) {
			var kept []*slots
			before := heap()
			for b.Loop() {
				s := newSlots()
				s.open(now(), ShortestSlot)
				s.timer.Stop()
				all := make([]*kind, kinds)
				for i := range all {
					all[i] = newKind(strconv.Itoa(i), false, 2)
					s.keep(all[i])
				}
				for slot := range MostSlots - 1 {
					for _, k := range all {
						for j := range 500 {
							k.of(j).ok.count(int64(durations[(slot*500+j)%len(durations)]))
						}
					}
					s.tick(time.Duration(s.next.Load()))
				}
				kept = append(kept, s)
			}
			b.ReportMetric(float64(heap()-before)/float64(len(kept))/1e6, "MB/step")
			runtime.KeepAlive(kept)
		})
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)

	return int64(m.HeapAlloc)
}

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

// skewed returns durations as stores have them: most near 1 ms, a few far above.
func skewed(n int) []time.Duration {
	random := rand.New(rand.NewPCG(1, 2))
	durations := make([]time.Duration, n)
	for i := range durations {
		durations[i] = time.Duration(float64(time.Millisecond) * (0.5 + random.ExpFloat64()))
	}

	return durations
}

package workload

import (
	"math"
	"math/rand/v2"
)

type drawer interface {
	draw(random *rand.Rand) int
}

func (k *Keys) drawer(index, clients int) drawer {
	switch k.Distribution {
	case Zipf:
		return newZipf(k.Count, or(k.Exponent, defaultExponent))
	case HotCold:
		return &hotCold{hot: k.hot(), count: k.Count, access: or(k.HotAccess, defaultHotAccess) / 100}
	case Sequential:
		first, end := k.share(index, clients)

		return &sequential{first: first, end: end, next: first}
	case Gaussian:
		return &gaussian{count: k.Count, mean: or(k.Mean, float64(k.Count-1)/2), deviation: or(k.Deviation, k.deviation())}
	default:
		return uniform(k.Count)
	}
}

type uniform int

func (u uniform) draw(random *rand.Rand) int { return random.IntN(int(u)) }

type hotCold struct {
	hot, count int
	access     float64
}

func (h *hotCold) draw(random *rand.Rand) int {
	if random.Float64() < h.access {
		return random.IntN(h.hot)
	}

	return h.hot + random.IntN(h.count-h.hot)
}

type sequential struct{ first, end, next int }

func (s *sequential) draw(*rand.Rand) int {
	i := s.next
	if s.next++; s.next == s.end {
		s.next = s.first
	}

	return i
}

// gaussian redraws values outside the key range, at most two of three.
type gaussian struct {
	count           int
	mean, deviation float64
}

func (g *gaussian) draw(random *rand.Rand) int {
	for {
		if i := math.Round(g.mean + g.deviation*random.NormFloat64()); i >= 0 && i < float64(g.count) {
			return int(i)
		}
	}
}

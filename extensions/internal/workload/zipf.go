package workload

import (
	"math"
	"math/rand/v2"
)

// zipf draws key i with probability proportional to 1/(i+1)^exponent by rejection-inversion. It
// needs no table and about one draw per key, also for exponents up to 1.
//
// Source: W. Hörmann and G. Derflinger, Rejection-inversion to generate variates from monotone
// discrete distributions, ACM TOMACS 6 (1996) 169-184. Names follow the paper: h is the density, H
// its integral.
type zipf struct {
	exponent float64
	count    float64
	from, to float64
	shortcut float64 // a rank within this distance above the drawn point is accepted without a test
}

func newZipf(count int, exponent float64) *zipf {
	z := &zipf{exponent: exponent, count: float64(count)}
	z.from = z.integral(1.5) - 1
	z.to = z.integral(z.count + 0.5)
	z.shortcut = 2 - z.inverse(z.integral(2.5)-z.density(2))

	return z
}

func (z *zipf) draw(random *rand.Rand) int {
	for {
		u := z.to + random.Float64()*(z.from-z.to)
		x := z.inverse(u)
		rank := min(max(math.Floor(x+0.5), 1), z.count)
		if rank-x <= z.shortcut || u >= z.integral(rank+0.5)-z.density(rank) {
			return int(rank) - 1
		}
	}
}

func (z *zipf) density(x float64) float64 { return math.Exp(-z.exponent * math.Log(x)) }

// integral returns (x^(1-e) - 1)/(1-e), or log x if e is 1. It is exact near e = 1.
func (z *zipf) integral(x float64) float64 {
	logX := math.Log(x)

	return growth((1-z.exponent)*logX) * logX
}

// inverse is the inverse function of integral.
func (z *zipf) inverse(y float64) float64 {
	t := max(y*(1-z.exponent), -1)

	return math.Exp(logGrowth(t) * y)
}

// Below tiny, the functions below use the first terms of their series, because they are 0/0 at 0.
const tiny = 1e-8

// growth returns (exp(x)-1)/x.
func growth(x float64) float64 {
	if math.Abs(x) < tiny {
		return 1 + x/2
	}

	return math.Expm1(x) / x
}

// logGrowth returns log(1+x)/x.
func logGrowth(x float64) float64 {
	if math.Abs(x) < tiny {
		return 1 - x/2
	}

	return math.Log1p(x) / x
}

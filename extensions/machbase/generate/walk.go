package generate

import (
	"math"
	"math/rand/v2"
	"time"
)

const (
	beatLength   = int64(100 * time.Millisecond)
	beatsPerHour = int64(time.Hour) / beatLength
)

type traits struct {
	base       float64
	baseVolume float64
	volatility float64
	drift      float64
}

const traitStream = 1 << 63

func drawTraits(seed uint64, n int) []traits {
	rng := rand.New(rand.NewPCG(seed, traitStream))
	all := make([]traits, n)
	for i := range all {
		all[i] = traits{
			base:       50 + float64(rng.Float64()*150),
			baseVolume: 100 + float64(rng.Float64()*9000),
			volatility: .001 + float64(rng.Float64()*.01),
			drift:      (float64(rng.Float64()) - .5) * .0002,
		}
	}
	return all
}

type walk struct {
	seed     uint64
	tps      float64
	interval float64
	codes    []string
	traits   []traits

	ready  bool // false at first, and after an incomplete beat
	beat   int64
	source rand.PCG
	rng    *rand.Rand // draws from source
	prices []float64

	tick  Tick
	index int
}

func newWalk(seed uint64, tps float64, codes []string, traits []traits) *walk {
	w := &walk{
		seed: seed, tps: tps, interval: 1 / tps,
		codes: codes, traits: traits, prices: make([]float64, len(codes)),
	}
	w.rng = rand.New(&w.source)
	return w
}

func (w *walk) seek(beat int64) {
	sameHour := floorDiv(beat, beatsPerHour) == floorDiv(w.beat, beatsPerHour)
	if !w.ready || beat < w.beat || !sameHour {
		w.startHour(floorDiv(beat, beatsPerHour))
	}
	for w.beat < beat {
		for i := range w.startBeat() {
			w.draw(i)
		}
		w.endBeat()
	}
}

func (w *walk) startHour(hour int64) {
	w.source.Seed(w.seed, uint64(hour))
	for i := range w.prices {
		w.prices[i] = w.traits[i].base
	}
	w.beat = hour * beatsPerHour
	w.ready = true
}

// startBeat marks the position as invalid until endBeat, because yield may not return.
func (w *walk) startBeat() int64 {
	inHour := w.beat - floorDiv(w.beat, beatsPerHour)*beatsPerHour
	if inHour == 0 {
		w.startHour(floorDiv(w.beat, beatsPerHour))
	}
	w.ready = false
	return w.ticksBefore(inHour+1) - w.ticksBefore(inHour)
}

func (w *walk) endBeat() {
	w.beat++
	w.ready = true
}

// ticksBefore returns the number of ticks in the first n beats of an hour. The product and the
// quotient are rounded once each, so whole rates are exact.
func (w *walk) ticksBefore(n int64) int64 {
	return int64(float64(n) * w.tps / 10)
}

// The explicit conversions keep the compiler from fusing a product and a sum: see the package
// comment.
func (w *walk) draw(i int64) {
	code := w.rng.IntN(len(w.codes))
	is := &w.traits[code]

	// The original varies its interval uniformly by up to a quarter.
	dt := w.interval * (.75 + float64(w.rng.Float64()*.5))
	move := float64(w.rng.NormFloat64()*is.volatility*math.Sqrt(dt)) + float64(is.drift*dt)
	price := float64(w.prices[code] * (1 + move))
	price += float64((is.base - price) * .001)
	price = max(price, 1)
	w.prices[code] = price

	volume := float64(is.baseVolume * (1 + float64(math.Abs(move)*50) + float64(w.rng.Float64()*.2)))
	spread := price * (.0005 + float64(w.rng.Float64()*.0015))

	w.index = code
	w.tick = Tick{
		Code:     w.codes[code],
		UnixNano: w.beat*beatLength + i,
		Price:    price,
		Volume:   max(volume, 1),
		BidPrice: max(price-float64(spread/2), .01),
		AskPrice: price + float64(spread/2),
	}
}

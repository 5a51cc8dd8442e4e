package witness

import (
	"math"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// counted returns counts of slots with mean level(0..1) * 100 and noise.
func counted(seed int64, slots int, noise float64, level func(at float64) float64) (counts []float64) {
	random := rand.New(rand.NewSource(seed))
	for i := range slots {
		at := (float64(i) + 0.5) / float64(slots)
		counts = append(counts, math.Max(0, math.Round(100*level(at)*(1+noise*random.NormFloat64()))))
	}

	return counts
}

func steady(float64) float64 { return 1 }

func isUnsteady(counts []float64) bool {
	part, chance, errors, known := Drift(counts)
	if !known {
		part, chance = 0, 1
	}
	e := quiet()
	e[DriftPart], e[DriftChance], e[DriftErrors] = part, chance, errors
	word, _ := Judge(e)

	return word == Unsteady
}

func TestDriftSeesPermanentChanges(t *testing.T) {
	for name, level := range map[string]func(float64) float64{
		"it falls by a third":                 func(at float64) float64 { return 1 - at/3 },
		"it doubles":                          func(at float64) float64 { return 1 + at },
		"a step down in the middle":           func(at float64) float64 { return 1 - 0.3*math.Round(at) },
		"a step up after a quarter":           func(at float64) float64 { return 0.7 + 0.3*math.Round(math.Min(1, at+0.25)) },
		"a step down before the last quarter": func(at float64) float64 { return 1 - 0.4*math.Floor(at+0.25) },
		"a step up after a third":             func(at float64) float64 { return 0.7 + 0.3*math.Round(math.Min(1, at+1.0/6)) },
		"a step down before the last third":   func(at float64) float64 { return 1 - 0.4*math.Floor(at+1.0/3) },
	} {
		for _, slots := range []int{24, 30, 50, 127} {
			seen := 0
			for seed := range int64(100) {
				if isUnsteady(counted(seed, slots, 0.05, level)) {
					seen++
				}
			}
			require.GreaterOrEqual(t, seen, 90, "of 100 times: %s, %d slots", name, slots)
		}
	}
}

// The thirds differ by only 15 %, because the rate after the change point is higher than in the
// last third.
func TestDriftSeesAChangePointThatTheThirdsHide(t *testing.T) {
	counts := make([]float64, 24)
	for i := range counts {
		switch {
		case i < 12:
			counts[i] = 100
		case i < 20:
			counts[i] = 130
		default:
			counts[i] = 105
		}
	}
	part, chance, _, known := Drift(counts)
	require.True(t, known)
	require.InDelta(t, 30.0/130, part, 1e-9)
	require.Less(t, chance, 0.001)
}

func TestDriftIgnoresBursts(t *testing.T) {
	for name, level := range map[string]func(float64) float64{
		"steady":                 steady,
		"a step down at the end": func(at float64) float64 { return 1 - 0.4*math.Floor(at+0.1) },
		"it falls by a tenth":    func(at float64) float64 { return 1 - at/10 },
		"a pause in the middle":  func(at float64) float64 { return 1 - math.Round(math.Exp(-1000*(at-0.5)*(at-0.5))) },
		"a pause at the end":     func(at float64) float64 { return 1 - math.Floor(at+0.06) },
		"it swings":              func(at float64) float64 { return 1 + 0.3*math.Sin(40*at) },
	} {
		for _, slots := range []int{24, 30, 50, 127} {
			require.False(t, isUnsteady(counted(2, slots, 0.05, level)), "%s, %d slots", name, slots)
		}
	}
}

func TestDriftOfSteadySteps(t *testing.T) {
	for _, noise := range []float64{0.05, 0.2, 0.5} {
		accused := 0
		for seed := range int64(1000) {
			if isUnsteady(counted(seed, 50, noise, steady)) {
				accused++
			}
		}
		require.LessOrEqual(t, accused, 20, "noise of %g", noise)
	}
}

// A wandering rate is not a permanent change. Without the correction for correlation, a quarter of
// these steps would be unsteady.
func TestDriftOfWanderingSteps(t *testing.T) {
	accused := 0
	for seed := range int64(1000) {
		random := rand.New(rand.NewSource(seed))
		counts, wandered := make([]float64, 48), 0.0
		for i := range counts {
			wandered = 0.8*wandered + 0.6*random.NormFloat64()
			counts[i] = math.Max(0, math.Round(100*(1+0.3*wandered)))
		}
		if isUnsteady(counts) {
			accused++
		}
	}
	require.LessOrEqual(t, accused, 120, "of 1000 steps")
}

func TestDriftOfTooFewOperations(t *testing.T) {
	_, _, _, known := Drift(counted(1, 23, 0, steady))
	require.False(t, known, "too few slots")
	few := make([]float64, 48)
	for i := range few {
		few[i] = 4
	}
	_, _, _, known = Drift(few)
	require.False(t, known, "too few operations")
	for i := range few {
		few[i] = 5
	}
	part, chance, _, known := Drift(few)
	require.True(t, known)
	require.Zero(t, part)
	require.Equal(t, 1.0, chance)
}

func TestBlocksHoldAllOperations(t *testing.T) {
	for slots := 24; slots < 200; slots++ {
		counts := counted(int64(slots), slots, 0.5, steady)
		all, divided := 0.0, 0.0
		for _, n := range counts {
			all += n
		}
		for _, n := range blocks(counts) {
			divided += n
		}
		require.InDelta(t, all, divided, 1e-6, slots)
	}
}

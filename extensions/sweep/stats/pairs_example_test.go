package stats_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

func ExampleOfPairs() {
	// Operations a second of the old and the new build, one pair after the other.
	pairs := []stats.Pair{
		{Base: 1000, Change: 1048}, {Base: 910, Change: 957}, {Base: 1105, Change: 1162},
		{Base: 1020, Change: 1069}, {Base: 870, Change: 915}, {Base: 990, Change: 1041},
	}
	e, err := stats.OfPairs(pairs, 0.95)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.3f (%.3f to %.3f)\n", e.Ratio, e.Low, e.High)
	// Output: 1.050 (1.048 to 1.052)
}

package stats_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stats"
)

// Five recorded runs and one more: may ops/s be 10 % lower?
func ExampleJudge() {
	recorded := []float64{1000, 1010, 1005, 995, 990}
	for _, run := range []float64{985, 890, 700} {
		ratio, err := stats.Another(recorded, run, 0.95)
		if err != nil {
			panic(err)
		}
		gate := stats.Gate{Estimate: *ratio, Rate: true, Tolerance: 0.1}
		fmt.Println(run, stats.Judge([]stats.Gate{gate}, 0.05)[0])
	}
	// Output:
	// 985 held
	// 890 undecided
	// 700 crossed
}

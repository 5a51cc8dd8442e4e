package witness_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/witness"
)

// The server used all but 4 % of four processors.
func ExampleJudge() {
	word, why := witness.Judge(witness.Evidence{
		witness.Seconds: 10, witness.Operations: 100_000, witness.ClientsAtWork: 64, witness.MeanMs: 6.4, witness.UnderWay: 1,
		witness.Processors: 4, witness.Idle: 0.05, witness.K6: 0.5, witness.K6Processors: 4, witness.ServerHere: 1, witness.ServerUsed: 3.4,
	})
	fmt.Println(word, why)
	// Output: server The server used 3.40 of 4 processors, and none was idle.
}

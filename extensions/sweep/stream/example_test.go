package stream_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/stream"
)

// A metric's samples have the tags of their step.
func ExampleStepTags() {
	fmt.Println(stream.FigureOf("sweep_p99").Name, stream.StepTags(8, 500, ""))
	// Output: p99 map[clients:8 rate:500]
}

package measure_test

import (
	"context"
	"fmt"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// A step of one client with ten operations.
func ExampleStep() {
	step := measure.NewStep(1, measure.Plan{Operations: 10}, func(err error) { fmt.Println(err) })
	err := step.Client(0).Run(context.Background(), "get", nil, func() error {
		time.Sleep(time.Millisecond) // the operation

		return nil
	})
	reading := step.Read()
	get := &reading.Ops[0]
	fmt.Println(get.Op, get.Durations.Count, get.Failed, get.Durations.Quantile(0.5) >= time.Millisecond, err)
	// Output: get 10 0 true <nil>
}

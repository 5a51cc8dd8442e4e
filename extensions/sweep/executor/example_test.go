package executor_test

import (
	"fmt"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/executor"
)

// The options of a scenario, and what is wrong with them.
func ExampleRead() {
	config, err := executor.Read("get", []byte(`{"executor": "client-sweep", "clients": [1, 8], "iterations": 100}`))
	if err != nil {
		panic(err)
	}
	fmt.Println(config.Validate(), config.Steps())
	config, err = executor.Read("get", []byte(`{"executor": "client-sweep", "clients": [0], "iterations": 100}`))
	fmt.Println(config.Validate(), err)
	// Output:
	// [] [{1 0 1 } {8 0 1 }]
	// [clients must be integers from 1 to 100000, but one is 0] <nil>
}

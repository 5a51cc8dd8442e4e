// Empty does in plain Go what scripts/bench/empty.js does with k6: each client calls a function of
// JavaScript that does nothing, in a runtime of its own.
//
//	go run ./empty -clients 8 -ops 1000000
//	go run ./empty -clients 8 -ops 1000000 -floor
//
// The exit code is 0 when all operations succeeded, 1 when one failed, 2 for a wrong flag.
package main

import (
	"errors"
	"flag"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

func main() {
	crew.Main("empty", func(args []string, _ func(string) string) (crew.Program, error) {
		var s settings

		return &s, s.Read("empty", args, func(flags *flag.FlagSet) {
			flags.BoolVar(&s.floor, "floor", false, "call it as cheaply as can be, and keep no latencies")
		})
	})
}

type settings struct {
	crew.Settings

	floor bool
}

// Run implements crew.Program.
func (s *settings) Run() (*crew.Result, error) {
	return crew.Run(s.Clients, s.Ops, s.Warmup, func(int) (crew.Work, error) {
		if s.floor {
			return newFloor()
		}

		return newClient(sobek.New())
	})
}

// client is a function of JavaScript in a runtime of its own.
type client struct{ fn sobek.Callable }

func newClient(runtime *sobek.Runtime) (*client, error) {
	value, err := runtime.RunString("() => {}")
	if err != nil {
		return nil, err
	}
	fn, ok := sobek.AssertFunction(value)
	if !ok {
		return nil, errors.New("it is no function")
	}

	return &client{fn}, nil
}

// Operation calls the function.
func (c *client) Operation() (int64, error) {
	_, err := c.fn(sobek.Undefined())

	return 0, err
}

// End has nothing to do.
func (c *client) End() error { return nil }

// Close has nothing to do.
func (c *client) Close() error { return nil }

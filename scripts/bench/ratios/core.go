package main

import "fmt"

// The bounds of what k6 itself may need for an operation.
const (
	mostNanoseconds = 200      // of processor time for one sweep.run(fn) of an empty function
	mostAdded       = 64 << 20 // bytes that 20 million operations at 512 clients add to 512 idle VUs
)

const (
	coreClients    = 512
	coreOperations = 39063 // of each client: 20 million in all
	soloOperations = 10_000_000
)

// core is what k6 needs for operations of nothing.
type core struct {
	solo, many  step
	idle, after int64 // resident memory
}

// measureCore runs operations of nothing with one client and with 512. The memory of 512 VUs that
// do next to nothing is measured first.
func measureCore() (*core, error) {
	c := &core{}
	var err error
	for _, run := range []struct {
		clients, operations int
		step                *step
		memory              *int64
	}{
		{1, soloOperations, &c.solo, new(int64)},
		{coreClients, 1, new(step), &c.idle},
		{coreClients, coreOperations, &c.many, &c.after},
	} {
		*run.step, *run.memory, err = runScript("scripts/bench/empty.js", "empty", map[string]string{
			"CLIENTS": fmt.Sprint(run.clients), "ITERATIONS": fmt.Sprint(run.operations),
		})
		if err != nil {
			return nil, err
		}
	}

	return c, nil
}

// nanoseconds is the processor time of an operation.
func nanoseconds(s step) float64 { return s.CPU.K6 / float64(s.Operations) * 1e9 }

func (c *core) holds() bool {
	return c.solo.Failed+c.many.Failed == 0 && c.many.Operations == coreClients*coreOperations &&
		nanoseconds(c.solo) <= mostNanoseconds && nanoseconds(c.many) <= mostNanoseconds && c.after-c.idle <= mostAdded
}

// String says what it came to.
func (c *core) String() string {
	return fmt.Sprintf("sweep.run of an empty function: %.0f ns of processor time with 1 client, %.0f ns with %d (<= %d ns)\n"+
		"%d operations with %d clients: resident memory at most %d MB, %d MB more than idle (<= %d MB)",
		nanoseconds(c.solo), nanoseconds(c.many), coreClients, mostNanoseconds,
		c.many.Operations, coreClients, c.after>>20, (c.after-c.idle)>>20, mostAdded>>20)
}

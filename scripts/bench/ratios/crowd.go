package main

import "fmt"

const (
	crowdClients    = 512
	crowdOperations = 9766 // of each client: five million in all
	crowdQueries    = 100  // one operation in so many is a query: see crowd.js
	mostMemory      = 400 << 20
)

// crowd is k6 with 512 clients and five million operations.
type crowd struct {
	step   step
	memory int64
}

// measureCrowd lets 512 clients connect to the server and do five million operations, one in a
// hundred of them a query: what k6 itself needs for as many operations is the question, not what
// the server does in ten minutes.
func measureCrowd() (*crowd, error) {
	s, memory, err := runScript("scripts/bench/crowd.js", "crowd", map[string]string{
		"CLIENTS": fmt.Sprint(crowdClients), "ITERATIONS": fmt.Sprint(crowdOperations),
	})
	if err != nil {
		return nil, err
	}

	return &crowd{step: s, memory: memory}, nil
}

func (c *crowd) holds() bool {
	return c.step.Failed == 0 && c.step.Operations == crowdClients*crowdOperations && c.memory <= mostMemory
}

// String says what it came to.
func (c *crowd) String() string {
	return fmt.Sprintf("%d clients of Machbase, %d operations, of which 99 in 100 are empty functions and one a roll-up query: "+
		"%d failed, %.0f of these a second,\nwhich is %.0f queries; resident memory at most %d MB (<= %d MB)",
		crowdClients, c.step.Operations, c.step.Failed, c.step.OpsPerSecond, c.step.OpsPerSecond/crowdQueries, c.memory>>20, mostMemory>>20)
}

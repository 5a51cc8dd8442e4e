package main

import (
	"runtime"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// inTurns is work after each operation of which the other clients go first. Without it Go lets one
// go on for as long as its next answer is there when it looks.
type inTurns struct{ crew.Work }

// Operation implements crew.Work.
func (w inTurns) Operation() (rows int64, err error) {
	rows, err = w.Work.Operation()
	runtime.Gosched()

	return rows, err
}

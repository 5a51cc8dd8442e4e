package main

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/bench/programs/crew"
)

// noted is work that notes whose operations are done.
type noted struct {
	number int
	mu     *sync.Mutex
	order  *[]int
}

func (n noted) Operation() (int64, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	*n.order = append(*n.order, n.number)

	return 1, nil
}
func (noted) End() error   { return nil }
func (noted) Close() error { return nil }

// Of two clients at one processor none does two operations while the other has yet to do one.
func TestTurns(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const operations = 50
	var order []int
	var mu sync.Mutex
	_, err := crew.Run(2, operations, time.Duration(0), func(number int) (crew.Work, error) {
		return inTurns{noted{number, &mu, &order}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	for pair := range slices.Chunk(order, 2) {
		if pair[0] != pair[1] {
			changes++
		}
	}
	if changes < operations*3/4 { // Go's scheduler stops one now and then
		t.Errorf("of %d pairs of operations %d are of both clients: %v", operations, changes, order)
	}
}

//go:build !portable

package eventloop

import "iter"

// mostIdle is how many workers without a seat a loop keeps.
const mostIdle = 4

// worker is a coroutine in which clients have their turns, one after the other. A client that waits
// in the middle of a turn keeps its worker; one that waits between turns has none. So a few stacks
// serve hundreds of clients, and are in the processor's caches.
type worker struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	// seat is whose turn it is; nil: nobody's.
	seat *Seat
}

func newWorker() *worker {
	w := &worker{}
	w.next, w.stop = iter.Pull(func(yield func(struct{}) bool) {
		w.yield = yield
		for more := true; more; more = yield(struct{}{}) {
			w.seat.take()
			w.seat = nil
		}
	})

	return w
}

// workers are those of a loop that have no seat.
type workers []*worker

// take returns a worker for a turn of the seat.
func (all *workers) take(s *Seat) *worker {
	var w *worker
	if last := len(*all) - 1; last >= 0 {
		w, *all = (*all)[last], (*all)[:last]
	} else {
		w = newWorker()
	}
	w.seat = s

	return w
}

// keep takes a worker back.
func (all *workers) keep(w *worker) {
	if len(*all) < mostIdle {
		*all = append(*all, w)
	} else {
		w.stop()
	}
}

// stop ends the workers.
func (all *workers) stop() {
	for _, w := range *all {
		w.stop()
	}
	*all = nil
}

// Package processors says how many processors k6 may use, and lets it use one for a while.
//
// A client that is alone does one thing at a time. Where Go may use several processors, an answer
// that ends a wait wakes a second thread as well, which looks for work, finds none and sleeps.
// With one processor nothing is woken but the client. Microseconds of k6's processor time for an
// operation, operations a second and p99 in milliseconds of one client, with two processors and
// with one (medians of five to seven rounds in turns, on two cores of an Intel Xeon):
//
//	request-reply of NATS     75.5   54.9    5,910    6,560   0.32   0.31
//	a roll-up from Machbase   48.5   46.7    5,140    5,220   0.28   0.25
//	key-value get of NATS     29.2   30.1   10,980   10,560   0.18   0.19
package processors

import (
	"os"
	"runtime"
	"sync"
)

// held is what holds Go at one processor.
var held struct { //nolint:gochecknoglobals // the process has one setting
	sync.Mutex

	holders int
	before  int
}

// Count is how many processors k6 may use, whether or not it is held at one.
func Count() int {
	held.Lock()
	defer held.Unlock()
	if held.holders > 0 {
		return held.before
	}

	return runtime.GOMAXPROCS(0)
}

// HoldOne lets k6 use one processor until release is called, which any number of holders do.
func HoldOne() (release func()) {
	held.Lock()
	defer held.Unlock()
	if held.holders == 0 {
		held.before = runtime.GOMAXPROCS(1)
	}
	held.holders++

	return sync.OnceFunc(func() {
		held.Lock()
		defer held.Unlock()
		if held.holders--; held.holders > 0 {
			return
		}
		if os.Getenv("GOMAXPROCS") == "" {
			runtime.SetDefaultGOMAXPROCS() // and follow the quota of the control group again
		} else {
			runtime.GOMAXPROCS(held.before)
		}
	})
}

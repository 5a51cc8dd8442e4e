// Package processors says how many processors k6 may use, and lets it use one for a while.
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

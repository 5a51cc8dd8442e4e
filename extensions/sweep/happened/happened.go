// Package happened passes on what happens while a test runs, from who sees it to the reports that
// are under way: connections that are made again, a server that was started again, what a script
// marks. It knows nothing of either side.
package happened

import (
	"sync"
	"time"
)

// Kinds of what happens. Those of scripts have none.
const (
	Reconnect = "reconnect"
	Restart   = "restart"
	InfluxDB  = "influxdb"
	Evictions = "evictions"
)

// EvictionsEvery is how often it is told how many keys a cache has evicted: what is told is of that
// time before. It is longer than a second, within which the same is told once.
const EvictionsEvery = 1050 * time.Millisecond

// Event is something that has happened.
type Event struct {
	At   time.Time
	Kind string // empty: a script says so
	Text string
	// Times is how often it has happened: more than zero.
	Times uint64
}

// listeners are told of what happens, in no order.
var listeners struct { //nolint:gochecknoglobals // outputs and modules have no other place in common
	sync.Mutex

	next int
	all  map[int]func(Event)
}

// Listen makes fn be called for all that happens from now on, by whoever tells, until stop is
// called. It must not tell of anything itself.
func Listen(fn func(Event)) (stop func()) {
	listeners.Lock()
	defer listeners.Unlock()
	if listeners.all == nil {
		listeners.all = map[int]func(Event){}
	}
	number := listeners.next
	listeners.next++
	listeners.all[number] = fn

	return func() {
		listeners.Lock()
		defer listeners.Unlock()
		delete(listeners.all, number)
	}
}

// Tell says that something has happened now, so many times.
func Tell(kind, text string, times uint64) {
	if times == 0 {
		return
	}
	event := Event{At: time.Now().Round(0).UTC(), Kind: kind, Text: text, Times: times}
	listeners.Lock()
	defer listeners.Unlock()
	for _, fn := range listeners.all {
		fn(event)
	}
}

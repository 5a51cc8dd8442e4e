// Package events passes events from their sources to the active reports: reconnects, server
// restarts, and marks of scripts.
package events

import (
	"sync"
	"time"
)

// Kinds of events. Marks of scripts have none.
const (
	Reconnect = "reconnect"
	Restart   = "restart"
	InfluxDB  = "influxdb"
	Evictions = "evictions"
)

// EvictionsEvery is the interval for reporting a cache's evictions. It is longer than the second
// within which equal events are merged.
const EvictionsEvery = 1050 * time.Millisecond

// Event is something that happened during the run.
type Event struct {
	At   time.Time
	Kind string // empty: mark of a script
	Text string
	// Times counts repetitions, at least one.
	Times uint64
}

var listeners struct { //nolint:gochecknoglobals // outputs and modules have no other place in common
	sync.Mutex

	next int
	all  map[int]func(Event)
}

// Listen calls fn for all later events, from any goroutine, until stop is called. fn must not call
// Tell.
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

// Tell passes on an event of the current time.
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

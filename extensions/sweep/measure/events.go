package measure

import (
	"sync"
	"time"
)

// Kinds of events. Marks of scripts have none.
const (
	EventReconnect = "reconnect"
	EventRestart   = "restart"
	EventInfluxDB  = "influxdb"
)

// Event is something that happened during the run.
type Event struct {
	At   time.Time
	Kind string // empty: mark of a script
	Text string
	// Times counts repetitions, at least one.
	Times uint64
}

// eventListeners are the active reports.
var eventListeners struct { //nolint:gochecknoglobals // outputs and modules have no other place in common
	sync.Mutex

	next int
	all  map[int]func(Event)
}

// OnEvent calls fn for all later events, from any goroutine, until stop is called. fn must not call
// TellEvent.
func OnEvent(fn func(Event)) (stop func()) {
	eventListeners.Lock()
	defer eventListeners.Unlock()
	if eventListeners.all == nil {
		eventListeners.all = map[int]func(Event){}
	}
	number := eventListeners.next
	eventListeners.next++
	eventListeners.all[number] = fn

	return func() {
		eventListeners.Lock()
		defer eventListeners.Unlock()
		delete(eventListeners.all, number)
	}
}

// TellEvent passes on an event of the current time.
func TellEvent(kind, text string, times uint64) {
	if times == 0 {
		return
	}
	event := Event{At: time.Now().Round(0).UTC(), Kind: kind, Text: text, Times: times}
	eventListeners.Lock()
	defer eventListeners.Unlock()
	for _, fn := range eventListeners.all {
		fn(event)
	}
}

package wire

import (
	"bytes"
	"sync"
	"time"
)

// authority is the connection over which the leader approves operations. The approval has
// another version than the operation if the leader or the list of machines has changed.
type authority struct {
	conn   *conn
	reader sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	waiting []chan uint64
	unsent  int // number of requests
	asking  bool
}

func newAuthority(conn *conn, g Generation) *authority {
	a := &authority{conn: conn}
	_ = conn.Begin(forever)
	a.reader.Go(func() {
		defer a.end()
		for {
			version, count, err := ReadApproval(conn.stream, g)
			if err != nil || !a.approve(version, count) {
				return
			}
		}
	})

	return a
}

const forever = 10 * 365 * 24 * time.Hour

// The channel receives the version, or is closed if the connection ends.
func (a *authority) request() <-chan uint64 {
	approval := make(chan uint64, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		close(approval)

		return approval
	}
	a.waiting = append(a.waiting, approval)
	a.unsent++
	if !a.asking {
		a.ask()
	}

	return approval
}

// There are never more requests than clients, so they fit in a socket buffer.
func (a *authority) ask() {
	a.asking = a.unsent > 0
	if a.asking {
		if _, err := a.conn.stream.Write(bytes.Repeat([]byte{1}, a.unsent)); err != nil {
			a.conn.Close()
		}
		a.unsent = 0
	}
}

// approve returns false if more requests are approved than were made.
func (a *authority) approve(version, count uint64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if count > uint64(len(a.waiting)-a.unsent) {
		return false
	}
	for _, approval := range a.waiting[:count] {
		approval <- version
	}
	a.waiting = a.waiting[count:]
	if len(a.waiting) == a.unsent {
		a.ask()
	}

	return true
}

func (a *authority) end() {
	a.conn.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, approval := range a.waiting {
		close(approval)
	}
	a.waiting, a.unsent = nil, 0
}

func (a *authority) close() {
	a.conn.Close()
	a.reader.Wait()
}

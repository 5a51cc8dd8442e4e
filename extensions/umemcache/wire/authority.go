package wire

import (
	"bytes"
	"net"
	"sync"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// authority is the connection over which the leader approves operations: that of an operation that
// was done while another machine led, or with an older list of machines, comes with another
// version. It has one goroutine, which reads.
type authority struct {
	socket net.Conn
	reader sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	waiting []chan uint64 // for the approval of their requests, in the order of these
	unsent  int           // of the requests
	asking  bool          // requests were sent, and their approval has not come
}

func newAuthority(socket net.Conn, g Generation) *authority {
	a := &authority{socket: socket}
	_ = socket.SetDeadline(time.Time{})
	a.reader.Go(func() {
		defer a.end()
		defer crash.Contain("the reader of approvals")
		for {
			version, count, err := ReadApproval(socket, g)
			if err != nil || !a.approve(version, count) {
				return
			}
		}
	})

	return a
}

// request asks for the approval of an operation. Its version comes over the channel, which is
// closed instead when there is no such connection any more.
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

// ask sends the requests: one byte with the value 1 for each, which is right in all generations.
// There are never more of them than clients, which fit in the buffer of a socket.
func (a *authority) ask() {
	a.asking = a.unsent > 0
	if a.asking {
		if _, err := a.socket.Write(bytes.Repeat([]byte{1}, a.unsent)); err != nil {
			_ = a.socket.Close() // which ends the goroutine, and that everything else
		}
		a.unsent = 0
	}
}

// approve passes an approval on. It returns false when more requests are approved than were made.
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

// end gives up: the requests that are left will not be approved.
func (a *authority) end() {
	_ = a.socket.Close()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for _, approval := range a.waiting {
		close(approval)
	}
	a.waiting, a.unsent = nil, 0
}

// close closes the connection and waits until its goroutine has ended.
func (a *authority) close() {
	_ = a.socket.Close()
	a.reader.Wait()
}

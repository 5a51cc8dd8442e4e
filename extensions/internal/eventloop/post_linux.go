//go:build !portable

package eventloop

import "bytes"

// post lets a request go out together with those of the clients that have their turns after this
// one. It is false for one that has to be written now; then all that was posted has gone out.
func (c *Conn) post(request []byte) bool {
	l := c.seat.loop
	if l.sends == nil {
		return false
	}
	if len(request) <= mostTogether && (l.others > 0 || l.sends.posted > 0) {
		if l.sends.posted == together {
			l.send()
		}
		if w := c.watch(); w.posts && w.rest == nil {
			l.sends.post(w, request)

			return true
		}
	}
	l.send()

	return false
}

// Flush lets what was written go out now. It is for what has no answer to wait for, before the
// connection is closed or used at another seat: else it may wait for the end of the round.
func (c *Conn) Flush() error {
	if c.seat == nil {
		return nil
	}
	c.seat.loop.send()

	return c.writeRest()
}

// send lets what was posted go out.
func (l *loop) send() {
	if l.sends == nil || l.sends.posted == 0 {
		return
	}
	if err := l.sends.submit(l.keep); err != nil {
		l.fail(err)
	}
}

// keepRest keeps what a connection could not take, for its client to write.
func (l *loop) keepRest(w *watch, rest []byte) {
	w.rest = bytes.Clone(rest)
	l.unsent = append(l.unsent, w)
}

// resumeUnsent gives a turn to the clients that wait for answers to requests that have not gone
// out. It comes before the loop looks at sockets: no other has resumed them since they waited.
func (l *loop) resumeUnsent() {
	for _, w := range l.unsent {
		if w.rest != nil && w.waiting != nil {
			l.again = append(l.again, w.waiting)
		}
	}
	clear(l.unsent)
	l.unsent = l.unsent[:0]
}

// writeRest writes what the socket could not take of a request that went out with others. Its error
// is why.
func (c *Conn) writeRest() error {
	w := c.watched.Load()
	if w == nil || w.rest == nil {
		return nil
	}
	rest := w.rest
	w.rest = nil
	_, err := c.writeNow(rest)

	return err
}

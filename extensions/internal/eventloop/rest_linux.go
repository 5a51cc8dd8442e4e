//go:build !portable

package eventloop

// Rest says that the job's turn is over once it returns, and that the next one comes when there is
// something to read of the connection: an answer to what was written. Its deadline, and its end,
// are something as well.
func (c *Conn) Rest() {
	if c.seat != nil {
		c.seat.rests = c
	}
}

// rest lets a job wait between its turns: for its connection, or for the others at the loop.
func (l *loop) rest(s *Seat) {
	s.paused = true
	c := s.rests
	if c == nil {
		l.again = append(l.again, s)

		return
	}
	w := c.watch()
	if w.readable || w.ended {
		l.again = append(l.again, s)

		return
	}
	l.due = min(l.due, c.until())
	w.waiting, w.writing, s.waits = s, false, c
}

// rested is called before the job's next turn.
func (s *Seat) rested() {
	if s.rests == nil {
		return
	}
	if w := s.rests.watched.Load(); w != nil && w.waiting == s {
		w.waiting = nil
	}
	s.rests, s.waits = nil, nil
}

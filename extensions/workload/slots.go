package workload

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// slots are the keys of a getMulti, or the commands of a pipeline, and what came of them.
type slots struct {
	indices []int
	keys    [][]byte
	sizes   []int   // of the values that came; -1 where none did
	wrong   []error // of those values

	commands []Command // of a getMulti: gets
	values   [][]byte  // to be set

	used int
	got  func(i int, value []byte) // takes a value that came
	bad  error                     // of values that nobody asked for
}

// ErrUnasked is why a getMulti or a pipeline has failed in which a value came for a key that is
// none of it or that is not read, or twice.
var ErrUnasked = errors.New("the store returned a value that was not asked for")

// ErrUnanswered is why a command of a pipeline has failed to which the store had no reply, and no
// error either.
var ErrUnanswered = errors.New("the store did not answer a command")

func newSlots(c *Client, n int) *slots {
	s := &slots{
		indices: make([]int, n), keys: make([][]byte, n), sizes: make([]int, n), wrong: make([]error, n),
		commands: make([]Command, n), values: make([][]byte, n),
	}
	s.got = func(i int, value []byte) {
		if i < 0 || i >= s.used || s.sizes[i] >= 0 || s.commands[i].Op != Get {
			s.bad = ErrUnasked

			return
		}
		s.sizes[i] = len(value)
		s.wrong[i] = c.verify(s.indices[i], value)
	}

	return s
}

// begin makes n slots ready and draws their keys.
func (s *slots) begin(c *Client, n int) {
	s.used, s.bad = n, nil
	for slot := range n {
		i := c.keys.draw(&c.random)
		s.indices[slot] = i
		s.keys[slot] = c.work.options.Keys.Append(s.keys[slot][:0], i)
		s.sizes[slot], s.wrong[slot] = -1, nil
	}
}

// getMulti reads as many keys at once as the option batch says. It fails as a whole when one of the
// values is wrong.
func (c *Client) getMulti() (closed error) {
	s := c.slots
	s.begin(c, c.work.options.Batch)
	start := clock.Now()
	err := c.multi.GetMulti(s.keys, s.got)
	took := clock.Since(start)
	if err == nil {
		err = s.bad
	}
	for _, wrong := range s.wrong {
		if err == nil && wrong != nil {
			c.result.Wrong++
			err = wrong
		}
	}
	if err == nil {
		for slot, i := range s.indices {
			hit := s.sizes[slot] >= 0
			c.count(i, s.sizes[slot], hit)
			if !hit {
				err = c.missing()
			}
		}
	}

	return c.tell(GetMulti, err, took)
}

// pipeline does n commands at once. Each of them is an operation, which takes from the first
// command's sending until the last reply is here.
func (c *Client) pipeline(n int) (closed error) {
	s := c.slots
	s.begin(c, n)
	for slot := range n {
		op, command := c.next(), &s.commands[slot]
		*command = Command{Op: op, Key: s.keys[slot], TTL: int(c.work.options.TTL)}
		if op == Set {
			s.values[slot] = c.work.values.Append(s.values[slot][:0], s.indices[slot])
			command.Value = s.values[slot]
		}
	}
	start := clock.Now()
	broken := c.pipe.Pipeline(s.commands[:n], s.got)
	took := clock.Since(start)
	for slot := range n {
		if end := c.replied(slot, broken, took); end != nil {
			closed = end
		}
	}

	return closed
}

// replied counts a command of a pipeline that has ended.
func (c *Client) replied(slot int, broken error, took time.Duration) (closed error) {
	s := c.slots
	command := &s.commands[slot]
	err := command.Err
	switch {
	case err != nil:
	case s.bad != nil:
		err = s.bad // nobody knows whose
	case !command.Answered && broken != nil:
		err = broken
	case !command.Answered:
		err = ErrUnanswered
	case s.wrong[slot] != nil:
		c.result.Wrong++
		err = s.wrong[slot]
	}
	switch {
	case command.Op == Set:
		return c.wrote(Set, len(command.Value), err, took)
	case command.Op == Get && err == nil:
		hit := s.sizes[slot] >= 0
		c.count(s.indices[slot], s.sizes[slot], hit)
		if !hit {
			err = c.missing()
		}
	}

	return c.tell(command.Op, err, took)
}

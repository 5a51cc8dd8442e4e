package workload

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

// slots hold the keys of a getMulti or the commands of a pipeline, with their outcomes.
type slots struct {
	indices []int
	keys    [][]byte
	sizes   []int   // of returned values; -1 without one
	wrong   []error // verification errors

	commands []Command // all gets for a getMulti
	values   [][]byte  // to set

	used int
	got  func(i int, value []byte) // receives a returned value
	bad  error                     // set when an unrequested value arrives
}

// ErrUnasked is returned if a getMulti or pipeline yields a value twice, or for a key that it did
// not read.
var ErrUnasked = errors.New("the store returned a value that was not asked for")

// ErrUnanswered is returned if a command of a pipeline gets neither a reply nor an error.
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

func (s *slots) begin(c *Client, n int) {
	s.used, s.bad = n, nil
	for slot := range n {
		i := c.keys.draw(&c.random)
		s.indices[slot] = i
		s.keys[slot] = c.work.options.Keys.Append(s.keys[slot][:0], i)
		s.sizes[slot], s.wrong[slot] = -1, nil
	}
}

// getMulti reads as many keys as the option batch says. One wrong value fails the whole operation.
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

// pipeline sends n commands together. Each counts as one operation and takes from the first send to
// the last reply.
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

func (c *Client) replied(slot int, broken error, took time.Duration) (closed error) {
	s := c.slots
	command := &s.commands[slot]
	err := command.Err
	switch {
	case err != nil:
	case s.bad != nil:
		err = s.bad // which command it belongs to is unknown
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

package workload

import (
	"errors"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/clock"
)

type slots struct {
	indices []int
	keys    [][]byte
	sizes   []int
	wrong   []error // verification errors

	commands []Command
	values   [][]byte // values to set
	expected []byte

	used int
	got  func(i int, value []byte)
	bad  error
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
		if i < 0 || i >= s.used || s.sizes[i] >= 0 || s.commands[i].Op != Get && s.commands[i].Op < numOps {
			s.bad = ErrUnasked

			return
		}
		s.sizes[i] = len(value)
		if asked := c.work.command(s.commands[i].Op); asked != nil {
			s.expected, s.wrong[i] = asked.check(s.keys[i], s.values[i], s.commands[i].Reply, value, s.expected)
		} else {
			s.wrong[i] = c.verify(s.indices[i], value)
		}
	}

	return s
}

func (s *slots) begin(c *Client, n int) {
	s.used, s.bad = n, nil
	for slot := range n {
		s.put(c, slot, c.keys.draw(&c.random))
	}
}

func (s *slots) put(c *Client, slot, i int) {
	s.indices[slot] = i
	s.keys[slot] = c.work.options.Keys.Append(s.keys[slot][:0], i)
	s.sizes[slot], s.wrong[slot] = -1, nil
}

// fill makes the command of a slot.
func (s *slots) fill(c *Client, slot int, op Op) {
	command, asked := &s.commands[slot], c.work.command(op)
	if op == Set || asked != nil && asked.usesValue {
		s.values[slot] = c.work.values.Append(s.values[slot][:0], s.indices[slot])
	}
	if command.Op = op; asked != nil {
		asked.fill(command, s.keys[slot], s.values[slot])

		return
	}
	*command = Command{Op: op, Name: op.String(), Key: s.keys[slot], TTL: int(c.work.options.TTL)}
	if op == Set {
		command.Value = s.values[slot]
	}
}

// alone runs a command on key i by itself.
func (s *slots) alone(c *Client, op Op, i int) error {
	s.used, s.bad = 1, nil
	s.put(c, 0, i)
	s.fill(c, 0, op)

	return s.outcome(0, c.pipe.Pipeline(s.commands[:1], s.got))
}

// getMulti reads as many keys as the option batch says. One wrong value fails the whole operation.
func (c *Client) getMulti() {
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
			c.count(i < c.work.hot, s.sizes[slot], hit)
			if !hit {
				err = c.missing()
			}
		}
	}
	c.tell(GetMulti, err, took)
}

// pipeline sends n commands together. Each counts as one operation and takes from the first send to
// the last reply.
func (c *Client) pipeline(n int) {
	s := c.slots
	s.begin(c, n)
	for slot := range n {
		s.fill(c, slot, c.next())
	}
	start := clock.Now()
	broken := c.pipe.Pipeline(s.commands[:n], s.got)
	took := clock.Since(start)
	for slot := range n {
		c.replied(slot, broken, took)
	}
}

// outcome returns the error of a command of a pipeline. broken is the error of the pipeline itself.
func (s *slots) outcome(slot int, broken error) error {
	command := &s.commands[slot]
	switch {
	case command.Err != nil:
		return command.Err
	case s.bad != nil:
		return s.bad // it may belong to any command
	case !command.Answered && broken != nil:
		return broken
	case !command.Answered, command.Op >= numOps && s.sizes[slot] < 0:
		return ErrUnanswered
	default:
		return s.wrong[slot]
	}
}

func (c *Client) replied(slot int, broken error, took time.Duration) {
	s := c.slots
	command := &s.commands[slot]
	err := s.outcome(slot, broken)
	if wrong := s.wrong[slot]; wrong != nil && errors.Is(err, wrong) {
		c.result.Wrong++
	}
	if asked := c.work.command(command.Op); asked != nil && err == nil {
		c.result.BytesSent += uint64(asked.sends * len(s.values[slot]))
		c.result.BytesReceived += uint64(s.sizes[slot])
	}
	switch {
	case command.Op == Set:
		c.wrote(Set, len(command.Value), err, took)

		return
	case command.Op == Get && err == nil:
		hit := s.sizes[slot] >= 0
		c.count(s.indices[slot] < c.work.hot, s.sizes[slot], hit)
		if !hit {
			err = c.missing()
		}
	}
	c.tell(command.Op, err, took)
}

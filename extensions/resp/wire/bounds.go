// Package wire looks at what a Redis server says before go-redis does, which makes a buffer of any
// length that a server announces, and goes as deep into arrays in arrays as it is told.
//
// RESP: https://redis.io/docs/latest/develop/reference/protocol-spec.
package wire

import (
	"bytes"
	"fmt"
)

// What a server may announce. Redis makes no more by itself, unless it is told to.
const (
	MaxBulk     = 512 << 20 // bytes of a string: Redis's own proto-max-bulk-len
	MaxElements = 1_000_000 // of a reply, those in arrays in arrays too
	MaxDepth    = 8         // arrays in arrays
	MaxLine     = 64 << 10  // bytes of what is no bulk string, such as an error
)

// Bounds reads along with a connection of RESP 2, and finds what announces too much, or is none of
// it. The zero value is ready.
//
// It looks at the first line of each value only: the bytes of a string are passed over by their
// number.
type Bounds struct {
	// left is how many bytes of a string, and of its line's end, are still to come.
	left int64
	// line is the beginning of a line that has not come to its end; size is its length.
	line [maxHead]byte
	size int
	// depth is how many arrays are open; open says how many elements each of them still has to
	// come.
	depth int
	open  [MaxDepth]int64
	// elements is how many the reply has announced.
	elements int64
	err      error
}

// maxHead is how much of a line is looked at: the type and a number.
const maxHead = 24

// Check looks at bytes as they come. It returns how many of them may be passed on: all, or those
// before what is wrong, which the error says. All later calls return the same error.
func (b *Bounds) Check(said []byte) (passed int, err error) {
	for b.err == nil && passed < len(said) {
		rest := said[passed:]
		if b.left > 0 {
			n := min(b.left, int64(len(rest)))
			b.left -= n
			passed += int(n)
			if b.left == 0 {
				b.done()
			}

			continue
		}
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end+1]
		}
		if b.err = b.gather(part); b.err == nil && end >= 0 {
			b.err = b.head()
		}
		if b.err == nil {
			passed += len(part)
		}
	}

	return passed, b.err
}

// Left is how many bytes of a string, and of its line's end, are still to come.
func (b *Bounds) Left() int64 { return b.left }

// gather takes a line, or a part of one.
func (b *Bounds) gather(part []byte) error {
	if b.size < maxHead {
		copy(b.line[b.size:], part)
	}
	if b.size += len(part); b.size > MaxLine {
		return fmt.Errorf("the server's reply has a line of more than %d bytes", MaxLine)
	}

	return nil
}

// head takes a line that has ended.
func (b *Bounds) head() error {
	size := b.size
	b.size = 0
	line := b.line[:min(size, maxHead)]
	switch line[0] {
	case '+', '-', ':', '_', ',', '#', '(':
		b.done()

		return nil
	case '$', '*':
	default:
		return fmt.Errorf("the server's reply begins with %q, which is no RESP 2", line)
	}
	n, ok := number(line[1:], size-1)
	switch {
	case !ok:
		return fmt.Errorf("the server's reply has a length that is none: %q", line)
	case n < 0: // nil
		b.done()
	case line[0] == '$' && n > MaxBulk:
		return fmt.Errorf("the server announces a string of %s bytes: at most %d are accepted", bytes.TrimSpace(line[1:]), MaxBulk)
	case line[0] == '$':
		b.left = n + 2
	default:
		return b.array(n)
	}

	return nil
}

// array takes the head of an array of n elements.
func (b *Bounds) array(n int64) error {
	if b.elements += n; n > MaxElements || b.elements > MaxElements {
		return fmt.Errorf("the server announces %d elements of a reply: at most %d are accepted", max(n, b.elements), MaxElements)
	}
	if n == 0 {
		b.done()

		return nil
	}
	if b.depth == MaxDepth {
		return fmt.Errorf("the server's reply has arrays in arrays, more than %d deep", MaxDepth)
	}
	b.open[b.depth] = n
	b.depth++

	return nil
}

// done takes note that a value has ended, and with it maybe those arrays whose last element it was.
func (b *Bounds) done() {
	for b.depth > 0 {
		if b.open[b.depth-1]--; b.open[b.depth-1] > 0 {
			return
		}
		b.depth--
	}
	b.elements = 0
}

// number reads a length and its line's end, which are so many bytes: -1, or digits.
func number(line []byte, size int) (n int64, ok bool) {
	if size != len(line) || size < 3 || line[size-2] != '\r' { // it is longer than any number that is allowed
		return 0, false
	}
	line = line[:size-2]
	if string(line) == "-1" {
		return -1, true
	}
	if len(line) > 18 {
		return 1 << 62, isDigits(line)
	}
	if !isDigits(line) {
		return 0, false
	}
	for _, digit := range line {
		n = n*10 + int64(digit-'0')
	}

	return n, true
}

func isDigits(line []byte) bool {
	for _, digit := range line {
		if digit < '0' || digit > '9' {
			return false
		}
	}

	return len(line) > 0
}

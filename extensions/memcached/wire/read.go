package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
)

// The line is valid until the next read.
func (c *Conn) readLine() ([]byte, *Error) {
	line, err := c.r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, c.fail(Errorf(KindProtocol, "the server sent a line of more than %d bytes: %s", bufferSize, quoted(line)))
	case err != nil:
		return nil, c.fail(c.broken(err))
	case len(line) < 2 || line[len(line)-2] != '\r':
		return nil, c.fail(unexpected(line))
	}

	return line[:len(line)-2], nil
}

// firstGrowth is the most that is allocated for an announced length, in bytes. Longer values grow
// as their bytes arrive.
const firstGrowth = 64 << 10

func (c *Conn) readValue(into []byte, n int) ([]byte, *Error) {
	into = into[:0]
	for len(into) < n {
		if len(into) == cap(into) {
			grown := make([]byte, len(into), min(n, max(firstGrowth, 2*len(into))))
			copy(grown, into)
			into = grown
		}
		had := len(into)
		into = into[:min(n, cap(into))]
		if got, err := io.ReadFull(c.r, into[had:]); err != nil {
			return into[:had+got], c.fail(c.broken(err))
		}
	}

	end, err := c.r.Peek(2)
	if err != nil {
		return into, c.fail(c.broken(err))
	}
	if !bytes.Equal(end, lineEnd) {
		return into, c.fail(Errorf(KindProtocol, "the server sent a value that is longer than the %d bytes it announced", n))
	}
	c.r.Discard(2)

	return into, nil
}

func (c *Conn) checkSize(size uint64) *Error {
	if size > uint64(c.maxValue) {
		return c.fail(Errorf(KindTooLarge, "the server announced a value of %d bytes: at most %d are accepted", size, c.maxValue))
	}

	return nil
}

func nextWord(line []byte) (word, rest []byte) {
	if i := bytes.IndexByte(line, ' '); i >= 0 {
		return line[:i], line[i+1:]
	}

	return line, nil
}

func parseNumber(digits []byte) (n uint64, ok bool) {
	if len(digits) == 0 || len(digits) > 20 {
		return 0, false
	}
	for _, d := range digits {
		if d < '0' || d > '9' {
			return 0, false
		}
		digit := uint64(d - '0')
		if n > (math.MaxUint64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}

	return n, true
}

func parseFlags(digits []byte) (flags uint32, ok bool) {
	n, ok := parseNumber(digits)

	return uint32(n), ok && n <= math.MaxUint32
}

package growing

import (
	"bufio"
	"bytes"
	"io"
)

// mostEmpty is how many reads in a row may return nothing, and no error, as in package bufio.
const mostEmpty = 100

// Reader reads from a connection through a buffer that grows. Its errors are those of package
// bufio.
type Reader struct {
	from   io.Reader
	buffer []byte
	// What lies in the buffer between at and end has not been read.
	at, end int
	// most is how large the buffer becomes.
	most int
	// filled tells that the last read has filled the buffer: there may be more than fits.
	filled bool
	// err is what the connection has said, after what lies in the buffer.
	err error
}

// NewReader returns a reader whose buffer grows up to most bytes.
func NewReader(from io.Reader, most int) *Reader { return &Reader{from: from, most: most} }

// Buffered is how many bytes have come that nobody has read.
func (r *Reader) Buffered() int { return r.end - r.at }

// Read implements io.Reader. It reads the connection once at most.
func (r *Reader) Read(into []byte) (int, error) {
	if len(into) == 0 || r.at < r.end {
		n := copy(into, r.buffer[r.at:r.end])
		r.at += n

		return n, nil
	}
	if r.err != nil {
		return 0, r.failed()
	}
	if len(into) >= len(r.buffer) && len(r.buffer) > 0 {
		return r.from.Read(into)
	}
	r.fill()
	if r.at == r.end {
		return 0, r.failed()
	}
	n := copy(into, r.buffer[r.at:r.end])
	r.at += n

	return n, nil
}

// ReadSlice returns what comes up to and with the first delim. It is valid until the next read. A
// slice that is longer than the buffer may become ends with bufio.ErrBufferFull.
func (r *Reader) ReadSlice(delim byte) ([]byte, error) {
	for seen := 0; ; {
		if i := bytes.IndexByte(r.buffer[r.at+seen:r.end], delim); i >= 0 {
			slice := r.buffer[r.at : r.at+seen+i+1]
			r.at += len(slice)

			return slice, nil
		}
		seen = r.Buffered()
		if r.err != nil || seen >= r.most {
			slice := r.buffer[r.at:r.end]
			r.at = r.end
			if r.err != nil {
				return slice, r.failed()
			}

			return slice, bufio.ErrBufferFull
		}
		r.fill()
	}
}

// Peek returns the next n bytes without reading them, or what came of them and why no more did.
// They are valid until the next read. n is at most as large as the buffer may become.
func (r *Reader) Peek(n int) ([]byte, error) {
	for r.Buffered() < n && r.err == nil {
		r.fill()
	}
	if r.Buffered() < n {
		return r.buffer[r.at:r.end], r.failed()
	}

	return r.buffer[r.at : r.at+n], nil
}

// Discard reads n bytes that Peek has returned.
func (r *Reader) Discard(n int) { r.at += n }

// failed returns what the connection has said, once.
func (r *Reader) failed() error {
	err := r.err
	r.err = nil

	return err
}

// fill reads what comes into the buffer, behind what lies there.
func (r *Reader) fill() {
	r.makeRoom()
	for range mostEmpty {
		n, err := r.from.Read(r.buffer[r.end:])
		r.end += n
		r.filled = r.end == len(r.buffer)
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// makeRoom makes the buffer larger where the last read has filled it, and moves what lies in it to
// its beginning.
func (r *Reader) makeRoom() {
	left := r.buffer[r.at:r.end]
	if r.buffer == nil || r.filled && len(r.buffer) < r.most {
		r.buffer = make([]byte, grown(len(r.buffer), r.most))
	}
	r.at, r.end = 0, copy(r.buffer, left)
}

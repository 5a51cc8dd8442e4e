package wireconn

import (
	"bufio"
	"bytes"
	"io"
)

// mostEmpty is how many reads in a row may return neither bytes nor an error, as in package bufio.
const mostEmpty = 100

const firstBuffer = 512

// grown returns the next buffer size, up to most.
func grown(size, most int) int { return min(max(2*size, firstBuffer), most) }

// Reader is a buffered reader whose buffer starts small and grows: two buffers of 16 KiB from
// package bufio would cost 5,000 cache connections 160 MB. It returns package bufio's errors.
type Reader struct {
	from   io.Reader
	buffer []byte
	// buffer[at:end] is unread.
	at, end int
	most    int
	// filled means that the last read filled the buffer.
	filled bool
	err    error
}

// NewReader returns a reader whose buffer grows up to most bytes.
func NewReader(from io.Reader, most int) *Reader { return &Reader{from: from, most: most} }

// Buffered returns the number of unread bytes in the buffer.
func (r *Reader) Buffered() int { return r.end - r.at }

// Read implements io.Reader. It reads from the connection at most once.
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

// ReadSlice returns the bytes up to and including delim, valid until the next read. It returns
// bufio.ErrBufferFull if they exceed the maximum buffer size.
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

// Peek returns the next n bytes without consuming them, valid until the next read, or fewer with an
// error. n must not exceed the maximum buffer size.
func (r *Reader) Peek(n int) ([]byte, error) {
	for r.Buffered() < n && r.err == nil {
		r.fill()
	}
	if r.Buffered() < n {
		return r.buffer[r.at:r.end], r.failed()
	}

	return r.buffer[r.at : r.at+n], nil
}

// Discard consumes n bytes that Peek has returned.
func (r *Reader) Discard(n int) { r.at += n }

// failed returns and clears the connection's error.
func (r *Reader) failed() error {
	err := r.err
	r.err = nil

	return err
}

// fill reads once into the free part of the buffer.
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

// makeRoom moves unread bytes to the front, and grows the buffer if the last read filled it.
func (r *Reader) makeRoom() {
	left := r.buffer[r.at:r.end]
	if r.buffer == nil || r.filled && len(r.buffer) < r.most {
		r.buffer = make([]byte, grown(len(r.buffer), r.most))
	}
	r.at, r.end = 0, copy(r.buffer, left)
}

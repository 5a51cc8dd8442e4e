package wireconn

import "io"

// Writer is a buffered writer.
type Writer struct {
	to     io.Writer
	buffer []byte
	most   int
}

// NewWriter returns a writer whose buffer grows up to most bytes.
func NewWriter(to io.Writer, most int) *Writer { return &Writer{to: to, most: most} }

// Write implements io.Writer. It buffers up to most bytes until Flush.
func (w *Writer) Write(from []byte) (int, error) {
	written := 0
	for len(from) > w.most-len(w.buffer) {
		n := len(from)
		if len(w.buffer) == 0 { // too large for the buffer: sent without a copy
			if _, err := w.to.Write(from); err != nil {
				return written, err
			}
		} else {
			n = w.keep(from[:w.most-len(w.buffer)])
			if err := w.Flush(); err != nil {
				return written, err
			}
		}
		from = from[n:]
		written += n
	}

	return written + w.keep(from), nil
}

func (w *Writer) keep(bytes []byte) int {
	if need := len(w.buffer) + len(bytes); need > cap(w.buffer) {
		size := cap(w.buffer)
		for size < need {
			size = grown(size, w.most)
		}
		w.buffer = append(make([]byte, 0, size), w.buffer...)
	}
	w.buffer = append(w.buffer, bytes...)

	return len(bytes)
}

// Flush sends the buffered bytes.
func (w *Writer) Flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	_, err := w.to.Write(w.buffer)
	w.buffer = w.buffer[:0]

	return err
}

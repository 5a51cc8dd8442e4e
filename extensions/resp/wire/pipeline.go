package wire

// runBytes is how many bytes of commands are sent before their answers are read. More might not fit
// into the socket buffers, and then both sides would block in a write.
const runBytes = 32 << 10

// overhead is an upper limit for the bytes of a command besides its key and value.
const overhead = 128

// Pipeline is a list of commands that are sent together before their answers are read.
type Pipeline interface {
	// Request returns command i.
	Request(i int) Request
	// Answered is called for each answer in order, with the server's error, or with the value of a
	// Get if the key was found. The value is valid until Answered returns.
	Answered(i int, value []byte, found bool, err error)
}

// Pipeline runs n commands. An error breaks the connection; commands without an answer fail with
// it. It returns into, which holds the values and may have grown.
func (c *Conn) Pipeline(n int, p Pipeline, into []byte) ([]byte, error) {
	failed := c.begin()
	for done := 0; failed == nil && done < n; {
		if failed = c.inStep(); failed != nil {
			break
		}
		end := c.writeRun(p, done, n)
		if failed = c.flush(); failed != nil {
			break
		}
		for ; failed == nil && done < end; done++ {
			into, failed = c.answer(done, p, into)
		}
	}

	return into, asError(failed)
}

// writeRun buffers commands from index from on, and returns the index after the last one.
func (c *Conn) writeRun(p Pipeline, from, n int) (end int) {
	for end = from; end < n; end++ {
		q := p.Request(end)
		if end > from && len(c.out)+len(q.Key)+len(q.Value)+overhead > runBytes {
			break
		}
		c.write(&q)
	}

	return end
}

func (c *Conn) answer(i int, p Pipeline, into []byte) ([]byte, *Error) {
	q := p.Request(i)
	value, found, failed := c.read(&q, into)
	if failed != nil && c.failed != nil {
		return value, failed
	}
	p.Answered(i, value, found, asError(failed))

	return value, nil
}

package wire

// runBytes is how many bytes of commands are sent before their answers are read: as many as the
// buffers of any two hosts take. With more, both sides could come to write at each other with
// nobody reading.
const runBytes = 32 << 10

// overhead is more than what a command has in bytes beside its key and its value.
const overhead = 128

// Pipeline is many commands, which go out together before their answers are read.
type Pipeline interface {
	// Request is command i.
	Request(i int) Request
	// Answered is told of each answer, in the order of the commands: the error that the server
	// says, or else the value where the key of a Get was found. The value is valid until Answered
	// returns.
	Answered(i int, value []byte, found bool, err error)
}

// Pipeline does n commands. The error that it returns broke the connection: what was not answered
// by then has failed with it. Into is memory for values, which is returned as it has grown.
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

// writeRun puts together what goes out next, from a command on, and returns the end of it.
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

// answer reads one answer. Its error broke the connection.
func (c *Conn) answer(i int, p Pipeline, into []byte) ([]byte, *Error) {
	q := p.Request(i)
	value, found, failed := c.read(&q, into)
	if failed != nil && c.failed != nil {
		return value, failed
	}
	p.Answered(i, value, found, asError(failed))

	return value, nil
}

package wire

// runBytes is how many bytes of commands are sent before their answers are read. More might not fit
// into the socket buffers, and then both sides would block in a write.
const runBytes = 32 << 10

const overhead = 128

func (q *Request) size() int {
	size := len(q.Key) + len(q.Value) + overhead
	for _, word := range q.Words {
		size += len(word) + overhead
	}

	return size
}

// Pipeline is a list of commands that are sent together before their answers are read.
type Pipeline interface {
	// Request returns command i.
	Request(i int) Request
	// Answered is called for each answer in order. Its text is valid until Answered returns.
	Answered(i int, answer Reply, err error)
}

// Pipeline runs n commands. An error breaks the connection; commands without an answer fail with
// it. It returns into, which holds the values and may have grown.
func (c *Conn) Pipeline(n int, p Pipeline, into []byte) ([]byte, error) {
	started := c.Start(n, p)

	return c.Finish(started, n, p, into)
}

// Started is a pipeline whose first commands are sent.
type Started struct {
	sent   int
	failed *Error
}

// Start sends the first commands of a pipeline. Finish must follow.
func (c *Conn) Start(n int, p Pipeline) Started {
	s := Started{failed: c.begin()}
	if s.failed == nil {
		s.sent, s.failed = c.sendRun(p, 0, n)
	}

	return s
}

// Finish reads the answers, and runs the commands that are not sent yet.
func (c *Conn) Finish(s Started, n int, p Pipeline, into []byte) ([]byte, error) {
	for done := 0; s.failed == nil; {
		for ; s.failed == nil && done < s.sent; done++ {
			into, s.failed = c.answer(done, p, into)
		}
		if s.failed != nil || done == n {
			break
		}
		if s.failed = c.inStep(); s.failed == nil {
			s.sent, s.failed = c.sendRun(p, done, n)
		}
	}

	return into, asError(s.failed)
}

func (c *Conn) sendRun(p Pipeline, from, n int) (end int, failed *Error) {
	for end = from; end < n; end++ {
		q := p.Request(end)
		if end > from && len(c.out)+q.size() > runBytes {
			break
		}
		c.write(&q)
	}

	return end, c.flush()
}

func (c *Conn) answer(i int, p Pipeline, into []byte) ([]byte, *Error) {
	q := p.Request(i)
	reply, failed := c.read(&q, into)
	if failed != nil && c.Failed != nil {
		return reply.Text, failed
	}
	p.Answered(i, reply, asError(failed))

	return reply.Text, nil
}

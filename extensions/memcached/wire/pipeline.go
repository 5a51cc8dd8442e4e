package wire

import (
	"bytes"
	"math"
)

// runBytes is how many bytes of requests are sent before their replies are read. More might not fit
// into the socket buffers, and then both sides would block in a write.
const runBytes = 32 << 10

const overhead = 128

// Do sends a request and reads its reply. An error is an *Error; an error of kind usage means that
// nothing was sent.
func (c *Conn) Do(q *Request, a *Reply) error {
	a.reset()
	err := c.check(q)
	if err == nil {
		err = c.begin()
	}
	if err == nil {
		err = c.write(q)
	}
	if err == nil {
		err = c.flush()
	}
	if err == nil {
		err = c.receive(q, a)
	}
	if err == nil {
		return nil // a nil *Error would be a non-nil error
	}

	return err
}

// Pipeline sends the requests together and reads one reply for each into replies. The Err of a
// reply is the error of its request. A returned error broke the connection; requests without an
// answer have it as their Err.
func (c *Conn) Pipeline(requests []Request, replies []Reply) error {
	if len(requests) != len(replies) {
		return Errorf(KindUsage, "there are %d requests and %d replies", len(requests), len(replies))
	}
	for i := range requests {
		replies[i].reset()
		if err := c.check(&requests[i]); err != nil {
			replies[i].Err = err
		}
	}

	return c.inRuns(replies, func(i int) int { return len(requests[i].Key) + len(requests[i].Value) + len(requests[i].Meta) },
		func(from, to int) *Error { return c.exchange(requests[from:to], replies[from:to]) })
}

// inRuns sends requests with an answer for each of replies in runs of at most runBytes, or of one
// request.
func (c *Conn) inRuns(replies []Reply, size func(i int) int, exchange func(from, to int) *Error) error {
	if err := c.begin(); err != nil {
		abandon(replies, err)

		return err
	}
	for done := 0; done < len(replies); {
		end, bytes := done, 0
		for ; end < len(replies); end++ {
			if bytes += size(end) + overhead; end > done && bytes > runBytes {
				break
			}
		}
		if err := exchange(done, end); err != nil {
			abandon(replies[done:], err)

			return err
		}
		done = end
	}

	return nil
}

func abandon(replies []Reply, err *Error) {
	for i := range replies {
		if a := &replies[i]; a.Status == 0 && a.Err == nil {
			a.Err = err
		}
	}
}

// An error of exchange broke the connection.
func (c *Conn) exchange(requests []Request, replies []Reply) *Error {
	if err := c.inStep(); err != nil {
		return err
	}
	for i := range requests {
		if replies[i].Err == nil {
			if err := c.write(&requests[i]); err != nil {
				return err
			}
		}
	}
	if err := c.flush(); err != nil {
		return err
	}
	for i := range requests {
		if replies[i].Err != nil {
			continue
		}
		if err := c.receive(&requests[i], &replies[i]); err != nil {
			replies[i].Err, replies[i].Status = err, 0
			if c.Failed != nil {
				return err
			}
		}
	}

	return nil
}

// GetMulti gets many values: with one get of all keys in the text protocol, with a pipeline in
// the meta protocol. Errors are as for Pipeline. They would save some bytes per miss, but need
// a closing mn, and an error answer, which has no number, could not be assigned to its
// request.
func (c *Conn) GetMulti(keys [][]byte, replies []Reply) error {
	if c.protocol == Meta {
		c.gets = c.gets[:0]
		for _, key := range keys {
			c.gets = append(c.gets, Request{Verb: Get, Key: key})
		}

		return c.Pipeline(c.gets, replies)
	}
	if len(keys) != len(replies) {
		return Errorf(KindUsage, "there are %d keys and %d replies", len(keys), len(replies))
	}
	for i := range keys {
		replies[i].reset()
		if err := checkKey(keys[i], false); err != nil {
			replies[i].Err = err
		}
	}

	return c.inRuns(replies, func(i int) int { return len(keys[i]) },
		func(from, to int) *Error { return c.getRun(keys[from:to], replies[from:to]) })
}

func (c *Conn) getRun(keys [][]byte, replies []Reply) *Error {
	if err := c.inStep(); err != nil {
		return err
	}
	b, asked := append(c.line(), "get"...), 0
	for i, key := range keys {
		if replies[i].Err == nil {
			b = append(append(b, ' '), key...)
			asked++
		}
	}
	if asked == 0 {
		return nil
	}
	if err := c.writeLine(b); err != nil {
		return err
	}
	if err := c.flush(); err != nil {
		return err
	}

	return c.readTextValues(keys, replies)
}

func (c *Conn) readTextValues(keys [][]byte, replies []Reply) *Error {
	for i := 0; ; i++ {
		line, err := c.readAnswer(Get)
		if err != nil {
			return c.fail(err) // neither its request nor the next answer is known
		}
		if string(line) == "END" {
			for ; i < len(keys); i++ {
				missed(&replies[i])
			}

			return nil
		}
		var found Reply
		key, size, err := c.valueLine(Get, &found, line)
		if err != nil {
			return err
		}
		for ; i < len(keys) && (replies[i].Err != nil || !bytes.Equal(keys[i], key)); i++ {
			missed(&replies[i])
		}
		if i == len(keys) {
			return c.fail(unexpected(line))
		}
		a := &replies[i]
		if a.Value, err = c.readValue(a.Value, size); err != nil {
			return err
		}
		a.Flags, a.Status, a.HasValue = found.Flags, OK, true
	}
}

func missed(a *Reply) {
	if a.Err == nil {
		a.Status = NotFound
	}
}

func (c *Conn) write(q *Request) *Error {
	if c.usesMeta(q.Verb) {
		return c.writeMeta(q)
	}

	return c.writeText(q)
}

func (c *Conn) receive(q *Request, a *Reply) *Error {
	if c.usesMeta(q.Verb) {
		return c.readMeta(q, a)
	}

	return c.readText(q, a)
}

func (c *Conn) usesMeta(v Verb) bool { return v.isMeta() || c.protocol == Meta && v.shape() != bare }

func (c *Conn) check(q *Request) *Error {
	if q.Verb == 0 || q.Verb > MetaArithmetic {
		return Errorf(KindUsage, "there is no verb %d", q.Verb)
	}
	if q.Verb.shape() == bare {
		return nil
	}
	if err := checkKey(q.Key, c.usesMeta(q.Verb)); err != nil {
		return err
	}
	if limit := min(c.maxValue, math.MaxInt32-2); len(q.Value) > limit {
		return Errorf(KindTooLarge, "the value has %d bytes: at most %d are sent", len(q.Value), limit)
	}
	if q.Verb.isMeta() {
		return checkMeta(q.Meta)
	}

	return nil
}

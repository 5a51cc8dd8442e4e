package wire

import (
	"bytes"
	"io"
)

// firstBuffer is the size of a reader's buffer until more is needed.
const firstBuffer = 8 << 10

// statementKind is what a server says.
type statementKind uint8

const (
	sayMessage statementKind = iota + 1 // MSG and HMSG
	sayPing
	sayPong
	sayOK
	sayErr
	sayInfo
)

// statement is one thing that a server says. Its bytes are valid until the next.
type statement struct {
	kind statementKind
	// rest is what stands behind the first word, of one that is no message.
	rest []byte

	// subject, reply, header and data are a message's. A header is nil where there is none.
	subject, reply, header, data []byte
}

// reader decodes what a server says, from a buffer. After an error of reading it goes on where it
// was.
type reader struct {
	from io.Reader
	// buffer[begin:end] has been read and not been decoded.
	buffer     []byte
	begin, end int
	// most is how large a message may be; 0 before the server has announced it.
	most int64
}

// next reads the next statement. What is none of the protocol is an *Error; other errors are those
// of reading.
func (r *reader) next(s *statement) error {
	line, err := r.line()
	if err != nil {
		return err
	}
	size := len(line)
	line = bytes.TrimSuffix(line[:size-1], []byte("\r"))
	word, rest := line, []byte(nil)
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		word, rest = line[:i], line[i+1:]
	}
	*s = statement{rest: rest}
	switch {
	case is(word, "MSG"):
		return r.message(s, size, false)
	case is(word, "HMSG"):
		return r.message(s, size, true)
	case is(word, "PING"):
		s.kind = sayPing
	case is(word, "PONG"):
		s.kind = sayPong
	case is(word, "+OK"):
		s.kind = sayOK
	case is(word, "-ERR"):
		s.kind = sayErr
	case is(word, "INFO"):
		s.kind = sayInfo
	default:
		return Errorf(KindProtocol, "the server says %s, which is none of the protocol", quoted(line))
	}
	r.begin += size

	return nil
}

// is compares a word, whose letters may be of either case.
func is(word []byte, known string) bool {
	return len(word) == len(known) && (string(word) == known || bytes.EqualFold(word, []byte(known)))
}

// line returns the next line with its end, which it leaves in the buffer.
func (r *reader) line() ([]byte, error) {
	looked := 0
	for {
		if i := bytes.IndexByte(r.buffer[r.begin+looked:r.end], '\n'); i >= 0 {
			return r.buffer[r.begin : r.begin+looked+i+1], nil
		}
		looked = r.end - r.begin
		if looked > MaxLine {
			return nil, Errorf(KindProtocol, "%s", errLine)
		}
		if err := r.more(looked + 1); err != nil {
			return nil, err
		}
	}
}

// mostWords is how many an HMSG has behind its first.
const mostWords = 5

// message reads a message whose line has size bytes and is in the buffer. It takes nothing out of
// the buffer before all of it has come: what a line says is looked at again then.
func (r *reader) message(s *statement, size int, withHeader bool) error {
	var words [mostWords]span
	n, ok := split(r.buffer[r.begin:r.begin+size], &words)
	fewest := 3
	if withHeader {
		fewest = 4
	}
	if !ok || n < fewest || n > fewest+1 {
		return r.wrong(size)
	}
	of := func(w span) []byte { return r.buffer[r.begin+w.from : r.begin+w.to] }
	total, ok := number(of(words[n-1]))
	header := int64(0)
	if ok && withHeader {
		header, ok = number(of(words[n-2]))
	}
	if !ok || header > total {
		return r.wrong(size)
	}
	if most := max(r.most, leastPayload); total > most {
		return Errorf(KindProtocol, "the server announces a message of %s bytes: at most %d are accepted", of(words[n-1]), most)
	}
	whole := size + int(total) + len("\r\n")
	if err := r.more(whole); err != nil {
		return err
	}
	body := r.buffer[r.begin+size : r.begin+whole]
	if !bytes.HasSuffix(body, []byte("\r\n")) {
		return Errorf(KindProtocol, "the server's message does not end where it should: %s", quoted(body[total:]))
	}
	s.kind, s.rest, s.subject = sayMessage, nil, of(words[0])
	if n > fewest {
		s.reply = of(words[2])
	}
	if withHeader {
		s.header = body[:header]
	}
	s.data = body[header:total]
	r.begin += whole

	return nil
}

// wrong is the error of a message's line.
func (r *reader) wrong(size int) error {
	return Errorf(KindProtocol, "the server announces a message by %s, which is none of the protocol",
		quoted(r.buffer[r.begin:r.begin+size]))
}

// span is where a word is in a line.
type span struct{ from, to int }

// split finds the words of a line behind the first.
func split(line []byte, words *[mostWords]span) (n int, ok bool) {
	at := 0
	skip := func(space bool) {
		for at < len(line) && isSpace(line[at]) == space {
			at++
		}
	}
	skip(false)
	for {
		skip(true)
		if at == len(line) {
			return n, true
		}
		if n == len(words) {
			return n, false
		}
		words[n].from = at
		skip(false)
		words[n].to = at
		n++
	}
}

// more reads until so many bytes are in the buffer. Room for them is made as they come, and not on
// a server's word.
func (r *reader) more(bytes int) error {
	for r.end-r.begin < bytes {
		if r.begin == r.end {
			r.begin, r.end = 0, 0
		}
		if r.end == len(r.buffer) {
			r.makeRoom()
		}
		n, err := r.from.Read(r.buffer[r.end:])
		r.end += n
		if err != nil && r.end-r.begin < bytes {
			return err
		}
	}

	return nil
}

// makeRoom moves what is in the buffer to its beginning, into a larger one where more than half of
// it is used.
func (r *reader) makeRoom() {
	into := r.buffer
	if r.end-r.begin >= len(r.buffer)/2 {
		into = make([]byte, max(firstBuffer, 2*len(r.buffer)))
	}
	r.end = copy(into, r.buffer[r.begin:r.end])
	r.buffer, r.begin = into, 0
}

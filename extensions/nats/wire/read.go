package wire

import (
	"bytes"
	"io"
)

const firstBuffer = 8 << 10

type statementKind uint8

const (
	sayMessage statementKind = iota + 1 // MSG and HMSG
	sayPing
	sayPong
	sayOK
	sayErr
	sayInfo
)

// statement is valid until the next one is read.
type statement struct {
	kind statementKind
	rest []byte

	// A missing header is nil.
	subject, reply, header, data []byte
}

// reader can continue after a read error, such as a timeout.
type reader struct {
	from       io.Reader
	buffer     []byte
	begin, end int
	// most limits the size of a message; 0 before the server has announced it.
	most int64
}

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
		return Errorf(KindProtocol, "the server sent %s, which violates the protocol", quoted(line))
	}
	r.begin += size

	return nil
}

func is(word []byte, known string) bool {
	return len(word) == len(known) && (string(word) == known || bytes.EqualFold(word, []byte(known)))
}

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

const mostWords = 6

// message reads a message after its line, which has size bytes.
func (r *reader) message(s *statement, size int, withHeader bool) error {
	var words [mostWords][]byte // MSG subject sid [reply] size, or HMSG with the header's size before the last word
	n := 0
	for word := range bytes.FieldsFuncSeq(r.buffer[r.begin:r.begin+size], isSpace) {
		if n == mostWords {
			return r.wrong(size)
		}
		words[n] = word
		n++
	}
	fewest := 4
	if withHeader {
		fewest = 5
	}
	if n < fewest || n > fewest+1 {
		return r.wrong(size)
	}
	total, header, ok := sizes(words[n-2], words[n-1], withHeader)
	if !ok {
		return r.wrong(size)
	}
	if most := max(r.most, leastPayload); total > most {
		return Errorf(KindProtocol, "the server announces a message of %s bytes: at most %d are accepted", words[n-1], most)
	}
	whole := size + int(total) + len("\r\n")
	if r.end-r.begin < whole { // the line moves with the buffer
		if err := r.more(whole); err != nil {
			return err
		}

		return r.message(s, size, withHeader)
	}
	body := r.buffer[r.begin+size : r.begin+whole]
	if !bytes.HasSuffix(body, []byte("\r\n")) {
		return Errorf(KindProtocol, "the server's message does not end where it should: %s", quoted(body[total:]))
	}
	s.kind, s.rest, s.subject = sayMessage, nil, words[1]
	if n > fewest {
		s.reply = words[3]
	}
	if withHeader {
		s.header = body[:header]
	}
	s.data = body[header:total]
	r.begin += whole

	return nil
}

func sizes(before, last []byte, withHeader bool) (total, header int64, ok bool) {
	total, ok = number(last)
	if ok && withHeader {
		header, ok = number(before)
	}

	return total, header, ok && header <= total
}

func isSpace(c rune) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

func (r *reader) wrong(size int) error {
	return Errorf(KindProtocol, "the server announces a message with %s, which violates the protocol",
		quoted(r.buffer[r.begin:r.begin+size]))
}

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

func (r *reader) makeRoom() {
	into := r.buffer
	if r.end-r.begin >= len(r.buffer)/2 {
		into = make([]byte, max(firstBuffer, 2*len(r.buffer)))
	}
	r.end = copy(into, r.buffer[r.begin:r.end])
	r.buffer, r.begin = into, 0
}

package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Limits for what a server may announce.
const (
	// MaxLine limits the bytes of a line without a message, such as INFO.
	MaxLine = 1 << 20
	// A message may have twice the max_payload of the server's INFO, since the server adds headers
	// and may have stored larger messages earlier. The limit is at least leastPayload and at most
	// mostPayload bytes.
	leastPayload = 8 << 20
	mostPayload  = 128 << 20
)

var errLine = fmt.Errorf("the server sent a line of more than %d bytes", MaxLine)

// Bounds follows the bytes of a connection and finds announced sizes above the limits. It parses
// the lines and skips messages by their size. The zero value is ready to use.
type Bounds struct {
	left int64
	// closing means that the message has arrived, but not its line end.
	closing bool
	line    []byte
	// payload is the limit of a message; 0 before the first INFO.
	payload int64
	err     error
}

// Check reads bytes as they arrive. It returns how many of them may be passed on: all of them, or
// with an error those before the fault. Later calls return the same error.
func (b *Bounds) Check(said []byte) (passed int, err error) {
	for b.err == nil && passed < len(said) {
		rest := said[passed:]
		if b.left > 0 {
			n := min(b.left, int64(len(rest)))
			b.left -= n
			passed += int(n)

			continue
		}
		end := bytes.IndexByte(rest, '\n')
		if len(b.line) == 0 && end >= 0 { // the usual case, without a copy
			b.err = b.take(rest[:end+1])
		} else {
			end, b.err = b.gather(rest, end)
		}
		if b.err == nil {
			passed += end + 1
		}
	}

	return passed, b.err
}

func (b *Bounds) gather(rest []byte, end int) (int, error) {
	whole := end >= 0
	if !whole {
		end = len(rest) - 1
	}
	b.line = append(b.line, rest[:end+1]...)
	if len(b.line) > MaxLine {
		return 0, errLine
	}
	if !whole {
		return end, nil
	}
	line := b.line
	b.line = b.line[:0]
	if cap(b.line) > 4<<10 {
		b.line = nil
	}

	return end, b.take(line)
}

func (b *Bounds) take(line []byte) error {
	if len(line) > MaxLine {
		return errLine
	}
	if b.closing {
		b.closing = false
		if string(line) != "\r\n" {
			return fmt.Errorf("the server's message does not end where it should: %.20q", line)
		}

		return nil
	}
	switch line[0] {
	case 'M', 'm', 'H', 'h':
		return b.message(line)
	case 'I', 'i':
		b.info(line)
	}

	return nil
}

func (b *Bounds) info(line []byte) {
	var info struct {
		MaxPayload int64 `json:"max_payload"`
	}
	if at := bytes.IndexByte(line, '{'); at >= 0 {
		_ = json.Unmarshal(line[at:], &info) // nats.go reports invalid JSON
	}
	b.payload = mostOf(info.MaxPayload)
}

func mostOf(payload int64) int64 { return max(leastPayload, 2*min(payload, mostPayload/2)) }

func (b *Bounds) message(line []byte) error {
	last := bytes.TrimRight(line, spaces)
	last = last[bytes.LastIndexAny(last, spaces)+1:]
	size, ok := number(last)
	payload := max(b.payload, leastPayload)
	switch {
	case !ok:
		return fmt.Errorf("the server announces a message without a size: %.60q", line)
	case size > payload:
		return fmt.Errorf("the server announces a message of %s bytes: at most %d are accepted", last, payload)
	}
	b.left, b.closing = size, true

	return nil
}

const spaces = " \t\r\n"

func number(word []byte) (n int64, ok bool) {
	if len(word) == 0 {
		return 0, false
	}
	for _, digit := range word {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		if n = n*10 + int64(digit-'0'); n > 1<<40 {
			n = 1 << 40
		}
	}

	return n, true
}

// The head of a WebSocket frame: RFC 6455, section 5.2.
const (
	opcodes    = 0x0f
	control    = 0x08
	compressed = 0x40
	lengths    = 0x7f
	length16   = 126
	length64   = 127
	// A frame may hold many messages.
	maxFrame = 64 << 20
)

var (
	errAnswer     = fmt.Errorf("the server answers the request for a WebSocket with a head of more than %d bytes", MaxLine)
	errCompressed = errors.New("the server sent an unexpected compressed WebSocket frame")
)

// Socket is Bounds for a WebSocket: the answer to the upgrade, and frames. The zero value is ready
// to use. If the server does not speak WebSocket, everything passes: nats.go then returns an error
// and allocates nothing.
type Socket struct {
	bounds Bounds
	stage  stage
	head   []byte
	left   uint64
	data   bool
	err    error
}

type stage int

const (
	stageAnswer stage = iota
	stageHead
	stagePayload
	stageRefused
)

// Check reads bytes as they arrive, as Bounds.Check does.
func (s *Socket) Check(said []byte) (passed int, err error) {
	for s.err == nil && passed < len(said) {
		rest := said[passed:]
		n := 1
		switch s.stage {
		case stageAnswer:
			s.err = s.answer(rest[0])
		case stageHead:
			s.err = s.frame(rest[0])
		case stagePayload:
			n = int(min(uint64(len(rest)), s.left))
			if s.data {
				n, s.err = s.bounds.Check(rest[:n])
			}
			s.left -= uint64(n)
			s.next()
		case stageRefused:
			n = len(rest)
		}
		if s.err == nil || s.stage == stagePayload {
			passed += n
		}
	}

	return passed, s.err
}

func (s *Socket) answer(b byte) error {
	s.head = append(s.head, b)
	switch {
	case len(s.head) > MaxLine:
		return errAnswer
	case b != '\n' || !bytes.HasSuffix(s.head, []byte("\n\r\n")) && !bytes.HasSuffix(s.head, []byte("\n\n")):
		return nil
	case !bytes.HasPrefix(s.head, []byte("HTTP/1.1 101")):
		s.stage = stageRefused
	default:
		s.stage = stageHead
	}
	s.head = nil

	return nil
}

func (s *Socket) frame(b byte) error {
	s.head = append(s.head, b)
	if len(s.head) < 2 {
		return nil
	}
	size := 2
	switch s.head[1] & lengths {
	case length16:
		size = 4
	case length64:
		size = 10
	}
	if len(s.head) < size {
		return nil
	}
	switch size {
	case 2:
		s.left = uint64(s.head[1] & lengths)
	case 4:
		s.left = uint64(binary.BigEndian.Uint16(s.head[2:]))
	default:
		s.left = binary.BigEndian.Uint64(s.head[2:])
	}
	flags := s.head[0]
	s.head = s.head[:0]
	switch {
	case flags&compressed != 0:
		return errCompressed
	case s.left > maxFrame:
		return fmt.Errorf("the server announces a WebSocket frame of %d bytes: at most %d are accepted", s.left, maxFrame)
	}
	s.data = flags&opcodes&control == 0
	s.stage = stagePayload
	s.next()

	return nil
}

func (s *Socket) next() {
	if s.left == 0 {
		s.stage = stageHead
	}
}

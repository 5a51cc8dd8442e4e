package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

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

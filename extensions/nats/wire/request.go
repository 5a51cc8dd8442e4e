package wire

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Message is an answer. Its bytes are valid until the connection's next call.
type Message struct {
	header header
	Data   []byte
}

var errSubject = Errorf(KindUsage, "invalid subject")

// Request sends a message, and waits for its answer within the timeout. The header may be nil.
func (c *Conn) Request(subject string, header, data []byte, timeout time.Duration) (Message, error) {
	if !IsSubject(subject) {
		return Message{}, errSubject
	}
	c.subject = append(c.subject[:0], subject...)

	return c.ask(header, data, timeout)
}

func (c *Conn) ask(header, data []byte, timeout time.Duration) (Message, error) {
	if err := c.check(header, data); err != nil {
		return Message{}, err
	}
	if err := c.begin(timeout); err != nil {
		return Message{}, err
	}
	c.compose(header, data)
	if err := c.write(c.request); err != nil {
		return Message{}, err
	}
	if err := c.answer(); err != nil {
		return Message{}, err
	}

	return Message{header: c.said.header, Data: c.said.data}, nil
}

func (c *Conn) check(header, data []byte) error {
	switch {
	case len(header) > 0 && !c.headers:
		return Errorf(KindUsage, "headers not supported by the server")
	case c.maxPayload > 0 && int64(len(header)+len(data)) > c.maxPayload:
		return Errorf(KindTooLarge, "maximum payload exceeded")
	}

	return nil
}

func (c *Conn) compose(header, data []byte) {
	q := c.request[:0]
	if !c.subscribed {
		c.subscribed = true
		q = append(q, "SUB "...)
		q = append(q, c.inbox[:len(c.inbox)-tokenDigits]...)
		q = append(q, "* 1\r\n"...)
	}
	if c.doubted {
		c.doubted, c.asked = false, true
		q = append(q, "PING\r\n"...)
	}
	c.takeToken()
	c.request = AppendPublish(q, c.subject, c.inbox, header, data)
}

const digits62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func (c *Conn) takeToken() {
	c.serial++
	n := c.serial
	for i := range tokenDigits {
		c.inbox[len(c.inbox)-1-i] = digits62[n%uint64(len(digits62))]
		n /= uint64(len(digits62))
	}
}

func (c *Conn) answer() *Error {
	for {
		if err := c.next(); err != nil {
			return err
		}
		if c.said.kind != sayMessage {
			if err := c.aside(); err != nil {
				return err
			}

			continue
		}
		if !bytes.Equal(c.said.subject, c.inbox) {
			continue
		}
		if code, _ := header(c.said.header).status(); len(c.said.data) == 0 && string(code) == "503" {
			return errNoResponders
		}

		return nil
	}
}

var errNoResponders = Errorf(KindNoResponders, "no responders available for request")

func (c *Conn) aside() *Error {
	switch c.said.kind {
	case sayPing:
		return c.write([]byte("PONG\r\n"))
	case sayPong:
		c.asked = false
	case sayInfo:
		if _, err := c.learn(); err != nil {
			return err
		}
	case sayErr:
		return c.complained()
	case sayMessage, sayOK:
	}

	return nil
}

// complained ignores complaints about earlier requests. If the server rejects the inbox, no
// request can get an answer.
func (c *Conn) complained() *Error {
	e, goesOn := complaint(c.said.rest)
	switch inboxes := c.inbox[:len(c.inbox)-tokenDigits]; {
	case !goesOn, strings.Contains(e.Message, `"`+string(inboxes)):
		return c.fail(e)
	case strings.Contains(e.Message, `"`+string(c.subject)+`"`):
		return e
	default:
		return nil
	}
}

// Check pings the server within the timeout, for a connection that was idle.
func (c *Conn) Check(timeout time.Duration) error {
	if err := c.begin(timeout); err != nil {
		return err
	}
	if err := c.write([]byte("PING\r\n")); err != nil {
		return err
	}
	if err := c.pong(); err != nil {
		return c.fail(err)
	}

	return nil
}

func (c *Conn) pong() *Error {
	c.asked = true
	for c.asked {
		if err := c.next(); err != nil {
			return err
		}
		if err := c.aside(); err != nil {
			return err
		}
	}

	return nil
}

// IsKind reports whether err is of this kind.
func IsKind(err error, kind string) bool {
	e, is := errors.AsType[*Error](err)

	return is && e.Kind == kind
}

// IsSubject reports whether messages can be published to a subject.
func IsSubject(subject string) bool {
	return subject != "" && !strings.ContainsAny(subject, " \t\r\n")
}

// AppendPublish appends a PUB, or an HPUB if there is a header:
// https://docs.nats.io/reference/reference-protocols/nats-protocol#pub. The reply subject may be
// empty.
func AppendPublish[S string | []byte](b []byte, subject, reply S, header, data []byte) []byte {
	if header != nil {
		b = append(b, 'H')
	}
	b = append(b, "PUB "...)
	b = append(b, subject...)
	b = append(b, ' ')
	if len(reply) > 0 {
		b = append(b, reply...)
		b = append(b, ' ')
	}
	if header != nil {
		b = strconv.AppendInt(b, int64(len(header)), 10)
		b = append(b, ' ')
	}
	b = strconv.AppendInt(b, int64(len(header)+len(data)), 10)
	b = append(b, "\r\n"...)
	b = append(b, header...)
	b = append(b, data...)

	return append(b, "\r\n"...)
}

const headerVersion = "NATS/1.0"

type header []byte

func (h header) status() (code, description []byte) {
	first, _, _ := bytes.Cut(h, []byte("\r\n"))
	rest, is := bytes.CutPrefix(first, []byte(headerVersion))
	if !is {
		return nil, nil
	}
	code, description, _ = bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	if len(code) == 0 {
		return nil, nil
	}

	return code, bytes.TrimSpace(description)
}

// each returns false if the header is malformed.
func (h header) each(do func(name, value []byte)) bool {
	first, rest, whole := bytes.Cut(h, []byte("\r\n"))
	if !whole || !bytes.HasPrefix(first, []byte(headerVersion)) {
		return false
	}
	for {
		var line []byte
		if line, rest, whole = bytes.Cut(rest, []byte("\r\n")); !whole {
			return false
		}
		if len(line) == 0 {
			return len(rest) == 0
		}
		name, value, is := bytes.Cut(line, []byte(":"))
		if !is || len(name) == 0 {
			return false
		}
		do(name, bytes.TrimSpace(value))
	}
}

// EncodeHeader appends a name and a value to a header, nil at first. Line ends in the value become
// spaces; the name must be valid.
func EncodeHeader(h []byte, name, value string) []byte {
	if h == nil {
		h = append(h, headerVersion+"\r\n\r\n"...)
	}
	h = append(h[:len(h)-len("\r\n")], name...)
	h = append(h, ": "...)
	from := len(h)
	h = append(h, strings.Trim(value, " \t\r\n")...)
	for i := from; i < len(h); i++ {
		if h[i] == '\r' || h[i] == '\n' {
			h[i] = ' '
		}
	}

	return append(h, "\r\n\r\n"...)
}

// IsHeaderName reports whether a header may have this name.
func IsHeaderName(name string) bool {
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' || name[i] == ':' {
			return false
		}
	}

	return name != ""
}

package wire

import (
	"bytes"
	"errors"
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

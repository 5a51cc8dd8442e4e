package cmi

import (
	"errors"
	"os"
	"time"
)

// The server stops reading while no one reads its reports of rejected rows, so writeAndListen
// reads them whenever a write blocks.
func (c *Conn) writeAndListen(b []byte) error {
	const patience = 20 * time.Millisecond
	for {
		if err := c.stream.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		n, err := c.stream.Write(b)
		c.sent.Add(uint64(n))
		if b = b[n:]; !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(err, c.stream.SetWriteDeadline(time.Time{}))
		}
		if err := c.listen(); err != nil {
			return err
		}
	}
}

func (c *Conn) listen() error {
	const patience = time.Millisecond
	for {
		if !c.in.buffered() {
			if err := c.stream.SetReadDeadline(time.Now().Add(patience)); err != nil {
				return err
			}
			err := c.in.need(1)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return c.stream.SetReadDeadline(time.Time{})
			}
			if err := errors.Join(err, c.stream.SetReadDeadline(time.Time{})); err != nil {
				return err
			}
		}
		m, err := c.in.read()
		if err != nil {
			return err
		}
		if m.kind != msgAppendData {
			return protocolError("message %d arrived while rows were appended", m.kind)
		}
		if err := c.rejection(m); err != nil {
			return err
		}
	}
}

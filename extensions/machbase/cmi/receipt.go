package cmi

import (
	"cmp"
	"errors"
	"slices"
)

// Receipt is the server's report about an appender's rows.
type Receipt struct {
	// Accepted rows are in the table. When the server is killed, a tag table keeps them, and a log
	// table loses those of the last quarter of a second (machbase-neo v8.0.74). After a crash of
	// the machine more rows may be missing. Queries see them a little later, or after `exec
	// table_flush(table)`.
	Accepted int64
	// Rejected rows are not in the table.
	Rejected int64
	// Reasons are the reasons of rejected rows, most frequent first. Only maxReasons different
	// texts are stored; Other counts the remaining rows.
	Reasons []Reason
	Other   int64
}

// Reason is a reason for rejected rows.
type Reason struct {
	Code    int
	Message string
	Rows    int64
}

// Each rejected row may have a different text.
const maxReasons = 16

func (c *Conn) rejection(m message) error {
	a := c.appenders[m.statement]
	if a == nil {
		return protocolError("it rejects a row of appender %d, which does not exist", m.statement)
	}
	_, _, err := readAnswer(m.body)
	var known *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &known) || known.Code == 0:
		return err
	}
	r := &a.receipt
	i := slices.IndexFunc(r.Reasons, func(reason Reason) bool { return reason.Code == known.Code && reason.Message == known.Message })
	if i >= 0 {
		r.Reasons[i].Rows++
	} else if len(r.Reasons) < maxReasons {
		r.Reasons = append(r.Reasons, Reason{known.Code, known.Message, 1})
	}

	return nil
}

// Receipt returns the report as of the last Sync. Of later rows, Reasons may already include some
// rejected ones.
func (a *Appender) Receipt() Receipt {
	r := a.receipt
	r.Reasons = slices.Clone(r.Reasons)
	slices.SortStableFunc(r.Reasons, func(x, y Reason) int { return cmp.Compare(y.Rows, x.Rows) })
	r.Other = r.Rejected
	for _, reason := range r.Reasons {
		r.Other -= reason.Rows
	}
	r.Other = max(r.Other, 0)

	return r
}

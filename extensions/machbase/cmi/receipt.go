package cmi

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Receipt is what the server has said about the rows of an appender.
type Receipt struct {
	// Accepted are rows that are in the table. When the server is killed, a tag table keeps them
	// and a log table loses those of the last quarter of a second (machbase-neo v8.0.74). Nobody
	// says what is left when the machine fails. A query may see them only after
	// `exec table_flush(table)`, or a little later.
	Accepted int64
	// Rejected are rows that are not.
	Rejected int64
	// Reasons are why, the most frequent first. The server's texts are kept for maxReasons
	// different ones; Other counts the rejected rows that have none of these.
	Reasons []Reason
	Other   int64
}

// Reason is why the server rejected rows.
type Reason struct {
	Code    int // the server's
	Message string
	Rows    int64
}

// maxReasons bounds what is kept when each row is rejected with a text of its own.
const maxReasons = 16

// receipt gathers what the server says.
type receipt struct {
	accepted, rejected int64
	reasons            []Reason
}

// rejection takes note of a row that the server has rejected.
func (c *Conn) rejection(m message) error {
	a := c.appenders[m.statement]
	if a == nil {
		return garbage("it rejects a row of appender %d, which there is none of", m.statement)
	}
	_, _, err := readAnswer(m.body)
	var known *Error
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &known) || known.Code == 0:
		return err
	}
	a.receipt.reject(known)

	return nil
}

func (r *receipt) reject(e *Error) {
	message := e.Message
	if i := slices.IndexFunc(r.reasons, func(known Reason) bool { return known.Code == e.Code && known.Message == message }); i >= 0 {
		r.reasons[i].Rows++
	} else if len(r.reasons) < maxReasons {
		r.reasons = append(r.reasons, Reason{e.Code, message, 1})
	}
}

// counted reads how many rows the server took since the appender was opened.
func (a *Appender) counted(ctx context.Context, body []byte) error {
	answer, _, err := readResult(body)
	if err != nil {
		return a.conn.failure(ctx, err)
	}
	a.receipt.accepted += answer.accepted
	a.receipt.rejected += answer.rejected

	return nil
}

// Receipt is what the server has said so far, up to the last Sync: of rows that were appended after
// it, only those that it rejected at once may be among the reasons.
func (a *Appender) Receipt() Receipt {
	r := Receipt{Accepted: a.receipt.accepted, Rejected: a.receipt.rejected, Reasons: slices.Clone(a.receipt.reasons)}
	slices.SortStableFunc(r.Reasons, func(x, y Reason) int { return cmp.Compare(y.Rows, x.Rows) })
	r.Other = r.Rejected
	for _, reason := range r.Reasons {
		r.Other -= reason.Rows
	}
	r.Other = max(r.Other, 0)

	return r
}

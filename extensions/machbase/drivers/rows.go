package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"

	"github.com/machbase/neo-client/api"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
)

// Switching goroutines for each row would cost machcli more than the row.
const fetchedAtOnce = 256

type rows struct {
	conn    *conn
	ctx     context.Context //nolint:containedctx // it ends with the rows
	answer  clientRows
	columns []machbase.Column

	fetched [][]any // rows that are not read yet
	row     []any
	over    bool
	err     error
}

type clientRows interface {
	api.Rows
	Row() []any
}

// answer reads all rows of a query, even if read returns an error: only then can machgo reuse the
// statement.
func (c *conn) answer(ctx context.Context, query func() (api.Rows, error), read func(machbase.Rows) error) error {
	r := &rows{conn: c, ctx: ctx}
	err := c.call(ctx, func() error {
		found, err := query()
		if err != nil {
			return err
		}
		r.answer = found.(clientRows) //nolint:forcetypeassert // both clients' result type
		if r.columns, err = c.columns(found); err != nil {
			return errors.Join(err, found.Close())
		}

		return r.fetch()
	})
	if err != nil {
		return c.failed(err)
	}

	err = read(r)
	for !r.over {
		r.fetchMore()
	}
	if r.err != nil {
		c.broken = c.broken || c.badRowsBreak
		if err == nil {
			err = c.failed(r.err)
		}
	}

	return err
}

func (r *rows) fetch() error {
	r.fetched = nil
	for len(r.fetched) < fetchedAtOnce {
		if len(r.columns) == 0 || !r.answer.Next() {
			r.over, r.err = true, r.answer.Err()
			if err := r.answer.Close(); r.err == nil {
				r.err = err
			}

			break
		}
		r.fetched = append(r.fetched, r.answer.Row())
	}

	return nil
}

func (r *rows) fetchMore() {
	if err := r.conn.call(r.ctx, r.fetch); err != nil {
		r.fetched, r.over, r.err = nil, true, err
	}
}

func (r *rows) Next() bool {
	if len(r.fetched) == 0 && !r.over {
		r.fetchMore()
	}
	if len(r.fetched) == 0 {
		r.row = nil

		return false
	}
	r.row, r.fetched = r.fetched[0], r.fetched[1:]

	return true
}

func (r *rows) Err() error {
	if r.err == nil || len(r.fetched) > 0 {
		return nil
	}

	return r.conn.failed(r.err)
}

func (r *rows) Columns() []machbase.Column { return r.columns }

func (r *rows) Index(name string) int {
	for i := range r.columns {
		if strings.EqualFold(r.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

func (r *rows) Equal(column int, want any) bool { return machbase.Equal(r.Values()[column], want) }

func (r *rows) Values() []any {
	for i, value := range r.row {
		if ip, ok := value.(net.IP); ok {
			if address, ok := netip.AddrFromSlice(ip); ok {
				r.row[i] = address
			}
		}
	}

	return r.row
}

// typeNames are the SQL types of both clients, in the order of their numbers.
var typeNames = [...]string{ //nolint:gochecknoglobals // a constant
	"short", "integer", "long", "datetime", "float", "double", "ipv4", "ipv6", "varchar", "binary",
}

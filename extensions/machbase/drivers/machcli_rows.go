package drivers

import (
	"context"
	"errors"
	"strings"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-server/v8/api/machcli"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
)

// Switching goroutines for each row would cost more than the row.
const fetchedAtOnce = 256

type machcliRows struct {
	conn    *machcliConn
	ctx     context.Context //nolint:containedctx // it ends with the rows
	answer  *machcli.Rows
	columns []machcli.ColumnDesc

	fetched [][]any // rows that are not read yet
	row     []any
	over    bool
	err     error
}

func (c *machcliConn) answer(ctx context.Context, query func() (api.Rows, error), read func(machbase.Rows) error) error {
	r := &machcliRows{conn: c, ctx: ctx}
	err := c.call(ctx, func() error {
		answer, err := query()
		if err != nil {
			return err
		}
		r.answer = answer.(*machcli.Rows) //nolint:forcetypeassert // machcli's result type
		r.columns = r.answer.ColumnDescriptions()
		if err := readable(r.columns); err != nil {
			return errors.Join(err, r.answer.Close())
		}

		return r.fetch()
	})
	if err != nil {
		return machcliError(err)
	}

	err = read(r)
	if r.over {
		return err
	}
	if closeErr := c.call(ctx, r.answer.Close); closeErr != nil && err == nil {
		err = machcliError(closeErr)
	}

	return err
}

// readable rejects columns that the client truncates: IP addresses and binary values.
func readable(columns []machcli.ColumnDesc) error {
	for _, c := range columns {
		if machcliTypes[c.Type] == "" {
			return usage("driver machcli truncates IP addresses and binary values: it cannot read column %q", c.Name)
		}
	}

	return nil
}

func (r *machcliRows) fetch() error {
	r.fetched = make([][]any, 0, fetchedAtOnce)
	for len(r.columns) > 0 && len(r.fetched) < fetchedAtOnce {
		if !r.answer.Next() {
			r.over = true

			break
		}
		r.fetched = append(r.fetched, r.answer.Row())
	}
	if !r.over {
		return nil
	}
	r.err = r.answer.Err()
	if err := r.answer.Close(); r.err == nil {
		r.err = err
	}

	return nil
}

func (r *machcliRows) Next() bool {
	if len(r.fetched) == 0 && !r.over && len(r.columns) > 0 {
		if err := r.conn.call(r.ctx, r.fetch); err != nil {
			r.row, r.over, r.err = nil, true, err

			return false
		}
	}
	if len(r.fetched) == 0 {
		r.row = nil

		return false
	}
	r.row, r.fetched = r.fetched[0], r.fetched[1:]

	return true
}

func (r *machcliRows) Err() error {
	if r.err == nil || len(r.fetched) > 0 {
		return nil
	}

	return machcliError(r.err)
}

func (r *machcliRows) Columns() []machbase.Column {
	columns := make([]machbase.Column, len(r.columns))
	for i, c := range r.columns {
		columns[i] = machbase.Column{Name: c.Name, Type: machcliTypes[c.Type]}
	}

	return columns
}

func (r *machcliRows) Index(name string) int {
	for i := range r.columns {
		if strings.EqualFold(r.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

func (r *machcliRows) Equal(column int, want any) bool { return machbase.Equal(r.row[column], want) }

func (r *machcliRows) Values() []any { return r.row }

var machcliTypes = map[machcli.SqlType]string{ //nolint:gochecknoglobals // a constant
	machcli.MACHCLI_SQL_TYPE_INT16:    "short",
	machcli.MACHCLI_SQL_TYPE_INT32:    "integer",
	machcli.MACHCLI_SQL_TYPE_INT64:    "long",
	machcli.MACHCLI_SQL_TYPE_DATETIME: "datetime",
	machcli.MACHCLI_SQL_TYPE_FLOAT:    "float",
	machcli.MACHCLI_SQL_TYPE_DOUBLE:   "double",
	machcli.MACHCLI_SQL_TYPE_STRING:   "varchar",
}

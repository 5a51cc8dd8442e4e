package drivers

import (
	"context"
	"net"
	"net/netip"
	"regexp"
	"strings"

	"github.com/machbase/neo-client/api"
	"github.com/machbase/neo-client/machgo"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
)

type machgoStatement struct {
	conn     *machgoConn
	stmt     api.Stmt
	insert   bool
	inserted int64
}

func (s *machgoStatement) Query(ctx context.Context, args []any, read func(machbase.Rows) error) error {
	defer s.conn.during(ctx)()
	rows, err := s.stmt.Query(ctx, clientArgs(args)...)

	return s.conn.read(rows, err, read)
}

// Exec returns the rows of this call: the server does not reset the count of an INSERT.
func (s *machgoStatement) Exec(ctx context.Context, args []any) (int64, error) {
	defer s.conn.during(ctx)()
	result := s.stmt.Exec(ctx, clientArgs(args)...)
	if err := result.Err(); err != nil {
		return 0, s.conn.failed(err)
	}

	affected := result.RowsAffected()
	if s.insert {
		affected, s.inserted = affected-s.inserted, affected
	}

	return affected, nil
}

func (s *machgoStatement) Close(ctx context.Context) error {
	defer s.conn.during(ctx)()
	if err := s.stmt.Close(); err != nil {
		return s.conn.failed(err)
	}

	return nil
}

func (c *machgoConn) read(rows api.Rows, err error, read func(machbase.Rows) error) error {
	if err != nil {
		return c.failed(err)
	}
	r := rows.(*machgo.Rows) //nolint:forcetypeassert // machgo's result type
	err = read(machgoRows{r, c, r.ColumnDescriptions()})
	for more := err != nil && r.Err() == nil; more; { // a statement can be reused only after all its rows were read
		more = r.Next()
	}
	if err != nil && r.Err() != nil {
		c.broken = true
	}
	if closeErr := r.Close(); closeErr != nil && err == nil {
		err = c.failed(closeErr)
	}

	return err
}

type machgoRows struct {
	*machgo.Rows

	conn    *machgoConn
	columns []machgo.ColumnDesc
}

func (r machgoRows) Columns() []machbase.Column {
	columns := make([]machbase.Column, len(r.columns))
	for i, c := range r.columns {
		columns[i] = machbase.Column{Name: c.Name, Type: machgoTypes[c.Type]}
	}

	return columns
}

func (r machgoRows) Index(name string) int {
	for i := range r.columns {
		if strings.EqualFold(r.columns[i].Name, name) {
			return i
		}
	}

	return -1
}

func (r machgoRows) Equal(column int, want any) bool { return machbase.Equal(r.Values()[column], want) }

func (r machgoRows) Values() []any {
	row := r.Row()
	for i, value := range row {
		if ip, ok := value.(net.IP); ok {
			if address, ok := netip.AddrFromSlice(ip); ok {
				row[i] = address
			}
		}
	}

	return row
}

func (r machgoRows) Err() error {
	err := r.Rows.Err()
	if err == nil {
		return nil
	}
	r.conn.broken = true // after an error within the rows, machgo takes the next answer for another one

	return machgoError(err)
}

var machgoTypes = map[machgo.SqlType]string{ //nolint:gochecknoglobals // a constant
	machgo.MACHCLI_SQL_TYPE_INT16:    "short",
	machgo.MACHCLI_SQL_TYPE_INT32:    "integer",
	machgo.MACHCLI_SQL_TYPE_INT64:    "long",
	machgo.MACHCLI_SQL_TYPE_DATETIME: "datetime",
	machgo.MACHCLI_SQL_TYPE_FLOAT:    "float",
	machgo.MACHCLI_SQL_TYPE_DOUBLE:   "double",
	machgo.MACHCLI_SQL_TYPE_IPV4:     "ipv4",
	machgo.MACHCLI_SQL_TYPE_IPV6:     "ipv6",
	machgo.MACHCLI_SQL_TYPE_STRING:   "varchar",
	machgo.MACHCLI_SQL_TYPE_BINARY:   "binary",
}

var machgoInsertSelect = regexp.MustCompile(`(?is)^insert\b.*\bselect\b`)

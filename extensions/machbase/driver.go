package machbase

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Driver connects to servers. Its calls block until they are done or their context ends. When a
// context has ended, the connection can only be closed. Errors of the server, and errors with a
// kind, are a *cmi.Error; any other error means that the connection broke.
type Driver interface {
	// Name returns the driver's name for the option driver and for reports.
	Name() string
	// Open connects with dial, if it can, and logs in. It may ignore the context.
	Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error)
}

// DialFunc opens a network connection.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Conn is one connection. Only one goroutine may use it at a time.
type Conn interface {
	// Query runs a statement with parameters. read reads the rows.
	Query(ctx context.Context, sql string, args []any, read func(Rows) error) error
	// Exec runs a statement without rows, and returns how many rows it changed.
	Exec(ctx context.Context, sql string, args []any) (affected int64, err error)
	// Prepare prepares a statement for repeated use on this connection.
	Prepare(ctx context.Context, sql string) (Statement, error)
	// Append opens an appender on a table. Its rows have the table's columns in the given order;
	// without columns, all of them in the table's order.
	Append(ctx context.Context, table string, options cmi.AppendOptions) (Appender, error)
	// Traffic returns the bytes received and sent so far.
	Traffic() (received, sent uint64)
	// Broken reports whether the connection is unusable. The end of a call's context and errors of
	// kind connection mean that too, without Broken.
	Broken() bool
	// Close logs out and closes the connection.
	Close(ctx context.Context) error
}

// Statement is a prepared statement.
type Statement interface {
	Query(ctx context.Context, args []any, read func(Rows) error) error
	Exec(ctx context.Context, args []any) (affected int64, err error)
	Close(ctx context.Context) error
}

// Rows is the answer to a query, read once from the first to the last row.
type Rows interface {
	Columns() []Column
	// Index returns the position of the column with this name, in upper or lower case, or -1.
	Index(name string) int
	// Next moves to the next row. It returns false after the last row or an error.
	Next() bool
	// Equal compares a value of the current row with a parameter value.
	Equal(column int, want any) bool
	// Values returns the current row: nil, string, int16, uint16, int32, uint32, int64, uint64,
	// float32, float64, time.Time, netip.Addr or []byte. They stay valid.
	Values() []any
	Err() error
}

// Column is a column of an answer. Type is Machbase's name, such as "double".
type Column struct {
	Name, Type string
}

// Appender appends rows without an answer for each.
type Appender interface {
	Append(ctx context.Context, row ...any) error
	// AppendColumns appends rows given as columns, in the types of cmi.Appender, and returns how
	// many.
	AppendColumns(ctx context.Context, columns ...any) (int, error)
	// Flush sends the buffered rows.
	Flush(ctx context.Context) error
	// Sync sends the buffered rows, and returns how many rows the server has accepted and rejected
	// so far.
	Sync(ctx context.Context) (cmi.Receipt, error)
	// Close sends the buffered rows, and returns how many rows the server has accepted and
	// rejected.
	Close(ctx context.Context) (cmi.Receipt, error)
}

var drivers = []Driver{nativeDriver{}} //nolint:gochecknoglobals // a registry, as in database/sql

// RegisterDriver adds a driver. Packages with optional drivers call it in init.
func RegisterDriver(d Driver) { drivers = append(drivers, d) }

// DriverNamed returns the driver with this name.
func DriverNamed(name string) (Driver, error) {
	known := make([]string, len(drivers))
	for i, d := range drivers {
		if d.Name() == name {
			return d, nil
		}
		known[i] = d.Name()
	}
	slices.Sort(known)

	return nil, fmt.Errorf("driver %q is not in this k6, which has %s; "+
		"`make build-drivers` builds one with all: native, machgo and machcli", name, strings.Join(known, ", "))
}

package machbase

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Driver speaks to the server. Its calls block until they are done or their context ends, which may
// be at its deadline: a connection is of no use after that, but for Close. Errors of the server,
// and those with a kind, are a *cmi.Error; all others are that the connection broke.
type Driver interface {
	// Name is the driver's name, as the option driver and reports have it.
	Name() string
	// Open connects and logs in, through dial when it can. It alone need not heed the context.
	Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error)
}

// DialFunc opens a network connection.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// Conn is one connection. One goroutine uses it at a time.
type Conn interface {
	// Query runs a statement with its parameters and lets read take the rows.
	Query(ctx context.Context, sql string, args []any, read func(Rows) error) error
	// Exec runs a statement that returns no rows and tells how many rows it changed.
	Exec(ctx context.Context, sql string, args []any) (affected int64, err error)
	// Prepare prepares a statement for many uses on this connection.
	Prepare(ctx context.Context, sql string) (Statement, error)
	// Append opens an appender on a table. Columns are the table's, in the order in which rows will
	// bring them; without columns, rows bring all of them in the table's order.
	Append(ctx context.Context, table string, options cmi.AppendOptions) (Appender, error)
	// Traffic is the number of bytes received from and sent to the server so far.
	Traffic() (received, sent uint64)
	// Broken tells whether the connection is of no use any more. The end of a call's context and
	// errors of kind connection need not be told.
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

// Rows is the answer to a query, read from front to back.
type Rows interface {
	Columns() []Column
	// Index is the place of the column with this name, upper or lower case, or -1.
	Index(name string) int
	// Next goes to the next row; false after the last one, and after an error.
	Next() bool
	// Equal compares a value of the current row with one as parameters are.
	Equal(column int, want any) bool
	// Values are those of the current row: nil, string, int16, uint16, int32, uint32, int64,
	// uint64, float32, float64, time.Time, netip.Addr or []byte. They stay valid.
	Values() []any
	Err() error
}

// Column is a column of an answer. Type is Machbase's name of it, such as "double".
type Column struct {
	Name, Type string
}

// Appender writes many rows without an answer for each.
type Appender interface {
	Append(ctx context.Context, row ...any) error
	// AppendColumns appends rows that come as columns, which are as those of cmi.Appender, and
	// tells how many it appended.
	AppendColumns(ctx context.Context, columns ...any) (int, error)
	// Flush sends what is buffered.
	Flush(ctx context.Context) error
	// Sync sends what is buffered, and returns what the server took and rejected of all rows so
	// far.
	Sync(ctx context.Context) (cmi.Receipt, error)
	// Close sends what is left and returns what the server took and rejected.
	Close(ctx context.Context) (cmi.Receipt, error)
}

// DefaultDriver is the name of the driver that the option driver chooses when it is not there.
const DefaultDriver = "native"

var drivers = []Driver{nativeDriver{}} //nolint:gochecknoglobals // what is compiled in, as database/sql has it

// RegisterDriver adds a driver. It is for init functions of packages that a k6 may have or not.
func RegisterDriver(d Driver) { drivers = append(drivers, d) }

// DriverNamed returns the driver of this name.
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

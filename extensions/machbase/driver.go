package machbase

// Driver speaks to the server. Its calls block until they are done or interrupted: a session sets their deadlines.
type Driver interface {
	// Name is the driver's name as reports show it.
	Name() string
	// Open connects and logs in. It need not heed any deadline.
	Open(cfg *Config) (Conn, error)
}

// Conn is one connection. One goroutine uses it at a time.
type Conn interface {
	// Query runs a statement with its parameters and lets read take the rows.
	Query(sql string, args []any, read func(Rows) error) error
	// Exec runs a statement that returns no rows and tells how many rows it changed.
	Exec(sql string, args []any) (affected int64, err error)
	// Prepare prepares a statement for many uses on this connection.
	Prepare(sql string) (Statement, error)
	// Append opens an appender on a table. Columns are the table's, in the order in which rows will bring them;
	// without columns, rows bring all of them in the table's order.
	Append(table string, columns []string) (Appender, error)
	// Traffic is the number of bytes received from and sent to the server so far.
	Traffic() (received, sent uint64)
	// Interrupt makes the call that is under way return with an error soon, whatever the server does. The connection
	// is of no use after it, but for Close. It may be called by any goroutine at any time, and more than once.
	Interrupt()
	// Close logs out and closes the connection.
	Close() error
}

// Statement is a prepared statement.
type Statement interface {
	Query(args []any, read func(Rows) error) error
	Exec(args []any) (affected int64, err error)
	Close() error
}

// Rows is the answer to a query, read from front to back.
type Rows interface {
	Columns() []Column
	// Index is the place of the column with this name, upper or lower case, or -1.
	Index(name string) int
	// Next goes to the next row; false after the last one, and after an error.
	Next() bool
	// Values are those of the current row: nil, string, int16, int32, int64, float32, float64, time.Time, net.IP or
	// []byte. They stay valid.
	Values() []any
	Err() error
}

// Column is a column of an answer. Type is Machbase's name of it, such as "double".
type Column struct {
	Name, Type string
}

// Appender writes many rows without an answer for each.
type Appender interface {
	Append(row []any) error
	Flush() error
	// Close sends what is left and returns how many rows the server accepted and rejected.
	Close() (accepted, rejected int64, err error)
}

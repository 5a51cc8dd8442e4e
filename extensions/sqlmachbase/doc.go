// Package sqlmachbase is a database/sql driver for Machbase, on the native client in
// ../machbase/cmi. It is pure Go.
//
//	connector, err := sqlmachbase.NewConnector("machbase://user:password@host:port?timeout=5s")
//	db := sql.OpenDB(connector)
//
// Importing it registers nothing: [Driver] is for sql.Register, under the name that suits the
// program.
//
// # Data source names
//
// They are the URLs of k6/x/machbase, machbase://user:password@host:port?option=value. Characters
// such as @ : / ? # % in the user or the password are written %40 %3A %2F %3F %23 %25. The port is
// 5656 and the user sys when they are left out. A duration is a number of milliseconds, from 100
// on, or has units, such as 1d12h or 1.5s. The options:
//
//	timeout         of a call, the reading of its rows included (60s)
//	connectTimeout  of a new connection (5s)
//	queryTimeout    that the server gives a query, rounded up to seconds (0 for none)
//	statementCache  off, auto or on: which statements with arguments stay prepared on a connection (off)
//	fetchRows       how many rows come in one answer (1000)
//	alternatives    host:port of servers with the same data, with commas between them, tried when the first does not answer
//	driver          native, and nothing else
//
// # Values
//
// What Scan finds in a column, before it converts it:
//
//	short, ushort, integer, uinteger, long    int64
//	ulong                                     uint64
//	float, double                             float64
//	datetime                                  time.Time in UTC, with nanoseconds
//	varchar, char, text, clob, json           string
//	ipv4, ipv6                                string
//	binary, blob                              []byte
//	any of them, where it is null             nil
//
// Machbase has no nulls apart from values: the smallest integer, the largest unsigned and the
// largest floating-point number and an empty text are null. It does not tell whether a column may
// be null, so that all scan types take nulls.
//
// Arguments take the place of question marks and are nil, bool, any integer or floating-point
// number, string, []byte, time.Time, netip.Addr, net.IP or *big.Int of 64 bits, pointers to these,
// types made of them, or a driver.Valuer of one.
//
// # Connections
//
// A call whose context ends, or that gets no answer in time, closes its connection: Machbase's
// protocol cannot cancel anything. Its error is both the *cmi.Error and that of the context.
// Machbase has no transactions: Begin fails.
//
// database/sql repeats a call on another connection only when nothing of it was sent. A connection
// that the server has closed in the meantime is found out before it is used again (on Unix;
// elsewhere by the call, which fails).
package sqlmachbase

package sqlmachbase

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net"
	"strings"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Driver is the driver for sql.Register.
//
// Columns have these Go types before Scan converts them; nulls are nil:
//
//	short, ushort, integer, uinteger, long    int64
//	ulong                                     uint64
//	float, double                             float64
//	datetime                                  time.Time in UTC, with nanoseconds
//	varchar, char, text, clob, json           string
//	ipv4, ipv6                                string
//	binary, blob                              []byte
//
// In Machbase null is a reserved value: the smallest integer, the largest unsigned and the largest
// floating-point number, and an empty text. It does not report whether a column may be null.
//
// Arguments replace question marks. They are nil, bool, any integer or floating-point number,
// string, []byte, time.Time, netip.Addr, net.IP or *big.Int of 64 bits, pointers to these, types
// based on them, or a driver.Valuer of one.
//
// A call closes its connection if its context ends or its timeout expires, because the protocol
// cannot cancel a call. Its error is both the *cmi.Error and the context's. There are no
// transactions: Begin fails.
//
// database/sql repeats a call on another connection only if nothing of it was sent. On Unix the
// driver notices a connection that the server has closed before it is used again; elsewhere the
// next call fails.
type Driver struct{}

// OpenConnector calls NewConnector.
func (Driver) OpenConnector(url string) (driver.Connector, error) { return NewConnector(url) }

// Open connects to the server in the URL. database/sql calls OpenConnector in its place.
func (Driver) Open(url string) (driver.Conn, error) {
	c, err := NewConnector(url)
	if err != nil {
		return nil, err
	}

	return c.Connect(context.Background())
}

// NewConnector returns a connector for sql.OpenDB. It does not connect. Its errors never show the
// URL.
//
// The URL has the form machbase://user:password@host:port?option=value, as in k6/x/machbase; a bare
// host:port is valid too.
// Special characters in user or password must be encoded: @ is %40, : %3A, / %2F, ? %3F, # %23, %
// %25. The default port is 5656, the default user sys. A duration is a number of milliseconds, at
// least 100, or has units, such as 1d12h or 1.5s. Options:
//
//	timeout         of a call, including its rows (60s)
//	connectTimeout  of a new connection (5s)
//	queryTimeout    the server's limit for a query, rounded up to seconds (0: none)
//	statementCache  off, auto or on: which statements with arguments stay prepared (off)
//	fetchRows       rows in one answer (1000)
//	alternatives    host:port of servers with the same data, separated by commas
//	driver          native, the only one
func NewConnector(url string) (driver.Connector, error) {
	c := &connector{cmi.DefaultTarget()}
	err := c.target.Parse([]string{url})
	if err == nil {
		err = c.target.Check()
	}
	if err == nil && c.target.Driver != cmi.DefaultDriver {
		err = fmt.Errorf("database/sql has only the driver %q, not %q", cmi.DefaultDriver, c.target.Driver)
	}
	if err != nil {
		return nil, err
	}

	return c, nil
}

type connector struct{ target cmi.Target }

func (*connector) Driver() driver.Driver { return Driver{} }

// Connect connects and logs in. Errors are as in cmi.Connect.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opening, cancel := context.WithTimeout(ctx, c.target.ConnectTimeout)
	defer cancel()
	opened := &conn{timeout: c.target.Timeout}
	var err error
	opened.native, err = c.target.Connect(opening, func(ctx context.Context, network, address string) (socket net.Conn, err error) {
		opened.socket, err = new(net.Dialer).DialContext(ctx, network, address)

		return opened.socket, err
	})
	switch {
	case err == nil:
		return opened, nil
	case opening.Err() != nil && ctx.Err() == nil:
		return nil, cmi.NewError(cmi.KindConnect, "cannot connect to %s: no answer in time, within connectTimeout (%s)",
			strings.Join(c.target.Addresses(), ", "), c.target.ConnectTimeout)
	default:
		return nil, withContextError(err)
	}
}

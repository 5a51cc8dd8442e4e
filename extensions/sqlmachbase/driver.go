package sqlmachbase

import (
	"context"
	"database/sql/driver"
	"net"
	"strings"
	"time"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Driver is the driver for sql.Register.
type Driver struct{}

// OpenConnector is NewConnector.
func (Driver) OpenConnector(url string) (driver.Connector, error) { return NewConnector(url) }

// Open connects to the server that the URL names. database/sql does not call it, as there is
// OpenConnector.
func (Driver) Open(url string) (driver.Conn, error) {
	c, err := NewConnector(url)
	if err != nil {
		return nil, err
	}

	return c.Connect(context.Background())
}

// NewConnector returns a connector for sql.OpenDB that connects to the server that the URL names.
// It fails when the URL is malformed, with an error that does not show it, and does not connect.
func NewConnector(url string) (driver.Connector, error) { return parse(url) }

// connector is what a URL says.
type connector struct {
	config         cmi.Config
	timeout        time.Duration
	connectTimeout time.Duration
}

func (*connector) Driver() driver.Driver { return Driver{} }

// Connect connects and logs in. Errors are those of cmi.Connect.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opening, cancel := context.WithTimeout(ctx, c.connectTimeout)
	defer cancel()
	opened := &conn{timeout: c.timeout}
	config := c.config
	config.Dial = func(ctx context.Context, network, address string) (socket net.Conn, err error) {
		opened.socket, err = new(net.Dialer).DialContext(ctx, network, address)

		return opened.socket, err
	}
	var err error
	opened.native, err = cmi.Connect(opening, config)
	switch {
	case err == nil:
		return opened, nil
	case opening.Err() != nil && ctx.Err() == nil:
		return nil, cmi.NewError(cmi.KindConnect, "cannot connect to %s: no answer in time, within connectTimeout (%s)",
			strings.Join(config.Addresses, ", "), c.connectTimeout)
	default:
		return nil, withContextError(err)
	}
}

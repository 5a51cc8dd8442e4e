package cmi

import (
	"context"
	"net"
	"time"
)

// DefaultFetchRows is how many rows come in one answer when a configuration does not say.
const DefaultFetchRows = 1000

// Config is how to reach a server, and how to work with it.
type Config struct {
	// Addresses are those of one server, or of several that have the same data, as host:port: the
	// first that answers is taken.
	Addresses []string
	// User is sent in upper case, as the server keeps it.
	User     string
	Password string
	// QueryTimeout is how long the server lets a query run, in whole seconds; 0 for no limit. It
	// ends it with an error of kind cancelled.
	QueryTimeout time.Duration
	// StatementCache is off when empty.
	StatementCache CacheMode
	// FetchRows is how many rows come in one answer at most; 0 for DefaultFetchRows.
	FetchRows int64
	// Dial opens a connection; nil for that of net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// withDefaults checks a configuration and fills it in.
func (c Config) withDefaults() (*Config, error) {
	if c.StatementCache == "" {
		c.StatementCache = CacheOff
	}
	if c.FetchRows == 0 {
		c.FetchRows = DefaultFetchRows
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	switch {
	case len(c.Addresses) == 0:
		return nil, usage("there is no address to connect to")
	case c.FetchRows < 0:
		return nil, usage("the number of rows to fetch must be at least 1, not %d", c.FetchRows)
	case c.QueryTimeout < 0 || c.QueryTimeout%time.Second != 0:
		return nil, usage("the server's query timeout must be a whole number of seconds, not %s", c.QueryTimeout)
	case c.StatementCache != CacheOff && c.StatementCache != CacheAuto && c.StatementCache != CacheOn:
		return nil, usage("the statement cache must be %q, %q or %q, not %q", CacheOff, CacheAuto, CacheOn, c.StatementCache)
	}

	return &c, nil
}

package cmi

import (
	"context"
	"net"
	"time"
)

// DefaultFetchRows is the default of Config.FetchRows.
const DefaultFetchRows = 1000

// Config describes a server, and how to use it.
type Config struct {
	// Addresses are host:port of one server, or of several with the same data. The first one that
	// answers is used.
	Addresses []string
	// User is sent in upper case, as the server stores it.
	User     string
	Password string
	// QueryTimeout is the server's limit for a query, in whole seconds; 0: none. The error then has
	// kind cancelled.
	QueryTimeout time.Duration
	// StatementCache defaults to CacheOff.
	StatementCache CacheMode
	// FetchRows is the maximum number of rows in one answer; 0: DefaultFetchRows.
	FetchRows int64
	// Dial opens a connection. Default: a net.Dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

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

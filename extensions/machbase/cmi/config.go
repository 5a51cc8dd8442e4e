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

func (c Config) withDefaults() *Config {
	if c.StatementCache == "" {
		c.StatementCache = CacheOff
	}
	if c.FetchRows == 0 {
		c.FetchRows = DefaultFetchRows
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}

	return &c
}

package machbase

import (
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

// Config describes a server and how to connect to it.
type Config = cmi.Target

type options struct {
	k6x.Target

	User     string `json:"user"`
	Password string `json:"password"`
	Driver   string `json:"driver"`
	k6x.Timeouts

	QueryTimeout   types.NullDuration `json:"queryTimeout"`
	StatementCache cmi.CacheMode      `json:"statementCache"`
	FetchRows      int64              `json:"fetchRows"`
}

func (o *options) config(urls []string) (*Config, error) {
	c := cmi.DefaultTarget()
	if err := c.Parse(urls); err != nil {
		return nil, err
	}

	k6x.Override(&c.User, o.User)
	k6x.Override(&c.Password, o.Password)
	k6x.Override(&c.Driver, o.Driver)
	k6x.Override(&c.StatementCache, o.StatementCache)
	k6x.Override(&c.FetchRows, o.FetchRows)
	if o.QueryTimeout.Valid {
		c.QueryTimeout = o.QueryTimeout.TimeDuration()
	}
	if err := o.Override(&c.Timeout, &c.ConnectTimeout); err != nil {
		return nil, err
	}

	return &c, c.Check()
}

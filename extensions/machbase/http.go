package machbase

import (
	"context"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/httpapi"
)

// httpDriver speaks to machbase-neo's HTTP API, for servers that the native client does not know.
type httpDriver struct{}

func (httpDriver) Name() string { return httpName }

func (httpDriver) Open(ctx context.Context, cfg *Config, dial DialFunc) (Conn, error) {
	config := httpapi.Config{Address: cfg.Address(), User: cfg.User, Password: cfg.Password, Token: cfg.HTTP.Token, Dial: dial}
	if cfg.HTTP.Secure {
		config.TLS = cfg.HTTP.TLSOf(cfg.Address())
	}
	conn, err := httpapi.Connect(ctx, config)
	if err != nil {
		return nil, err
	}

	return &httpConn{conn}, nil
}

type httpConn struct{ *httpapi.Conn }

func (c *httpConn) Query(ctx context.Context, sql string, args []any, read func(Rows) error) error {
	rows, err := c.Conn.Query(ctx, sql, args)
	if err != nil {
		return err
	}
	defer rows.Close()

	return read(&httpRows{rows})
}

func (c *httpConn) Prepare(context.Context, string) (Statement, error) {
	return nil, cmi.NewError(cmi.KindUsage, "driver http cannot prepare a statement: the server's HTTP API has none; use query and exec")
}

func (c *httpConn) Append(ctx context.Context, table string, options cmi.AppendOptions) (Appender, error) {
	appender, err := c.Conn.Append(ctx, table, options)
	if err != nil {
		return nil, err
	}

	return appender, nil
}

// Broken implements Conn: what breaks it are errors of kinds that break any connection.
func (c *httpConn) Broken() bool { return false }

func (c *httpConn) Close(context.Context) error {
	c.Conn.Close()

	return nil
}

type httpRows struct{ *httpapi.Rows }

// httpTypes are the names that columns of the API's types have in the module.
var httpTypes = map[string]string{ //nolint:gochecknoglobals // a constant
	"int16": "short", "int32": "integer", "int64": "long", "string": "varchar",
}

func (r *httpRows) Columns() []Column {
	columns := make([]Column, len(r.Rows.Columns))
	for i, c := range r.Rows.Columns {
		columns[i] = Column{Name: c.Name, Type: c.Type}
		if name, other := httpTypes[c.Type]; other {
			columns[i].Type = name
		}
	}

	return columns
}

func (r *httpRows) Equal(column int, want any) bool { return Equal(r.Values()[column], want) }

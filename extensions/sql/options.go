package sql

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
)

// defaultTimeout is that of k6/http.
const defaultTimeout = 60 * time.Second

// options are the last argument of sql.open.
type options struct {
	// timeout is that of a query or statement that has none of its own.
	timeout time.Duration
	// tags are those of all its calls' samples.
	tags k6mod.Tags
	// grafanas are those that xk6-sql reads.
	grafanas *sobek.Object
}

// openOptions are the options of sql.open.
var openOptions = k6mod.Options[options]{ //nolint:gochecknoglobals // a table
	limit("max_open_conns"),
	limit("max_idle_conns"),
	lifetime("conn_max_idle_time"),
	lifetime("conn_max_lifetime"),
	{Name: "timeout", Read: func(o *options, method string, value sobek.Value) (err error) {
		o.timeout, err = timeoutOf(method, "option timeout", value)

		return err
	}},
	k6mod.TagsOption(func(o *options) *k6mod.Tags { return &o.tags }),
}

// limit is an option of xk6-sql that is a number of connections.
func limit(name string) k6mod.Option[options] {
	return k6mod.Option[options]{Name: name, Read: func(o *options, method string, value sobek.Value) error {
		if n, is := k6glue.Scalar(value).(int64); !is || n < 0 || n > k6glue.MaxElements {
			return k6mod.Wrong(method, "option "+name, "an integer from 0", value)
		}

		return o.grafanas.Set(name, value)
	}}
}

// lifetime is an option of xk6-sql that is a time, which it takes as Go writes it.
func lifetime(name string) k6mod.Option[options] {
	return k6mod.Option[options]{Name: name, Read: func(o *options, method string, value sobek.Value) error {
		d, err := k6mod.Time(method, "option "+name, value)
		if err != nil {
			return err
		}

		return o.grafanas.Set(name, d.String())
	}}
}

// timeoutOf reads how long a query may take.
func timeoutOf(method, what string, value sobek.Value) (time.Duration, error) {
	d, err := k6mod.Time(method, what, value)
	if err == nil && d <= 0 {
		return 0, k6mod.Misuse("%s: %s must be more than 0", method, what)
	}

	return d, err
}

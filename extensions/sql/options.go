package sql

import (
	"database/sql"
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// defaultTimeout is the default of k6/http.
const defaultTimeout = 60 * time.Second

type options struct {
	timeout time.Duration
	tags    k6x.Tags
	limits  []func(*sql.DB)
	limited string
	shared  bool
}

var openOptions = k6x.Options[options]{ //nolint:gochecknoglobals // a table
	k6x.Into("shared", func(o *options) *bool { return &o.shared }, func(method, what string, value sobek.Value) (bool, error) {
		shared, is := k6x.Scalar(value).(bool)
		if !is {
			return false, k6x.Wrong(method, what, "true or false", value)
		}

		return shared, nil
	}),
	limit("max_open_conns", (*sql.DB).SetMaxOpenConns),
	limit("max_idle_conns", (*sql.DB).SetMaxIdleConns),
	lifetime("conn_max_idle_time", (*sql.DB).SetConnMaxIdleTime),
	lifetime("conn_max_lifetime", (*sql.DB).SetConnMaxLifetime),
	{Name: "timeout", Read: func(o *options, method string, value sobek.Value) (err error) {
		o.timeout, err = timeoutOf(method, "option timeout", value)

		return err
	}},
	k6x.TagsOption(func(o *options) *k6x.Tags { return &o.tags }),
}

func limit(name string, set func(*sql.DB, int)) k6x.Option[options] {
	return k6x.Option[options]{Name: name, Read: func(o *options, method string, value sobek.Value) error {
		n, is := k6x.Scalar(value).(int64)
		if !is || n < 0 || n > k6x.MaxElements {
			return k6x.Wrong(method, "option "+name, "an integer from 0", value)
		}
		o.limits = append(o.limits, func(pool *sql.DB) { set(pool, int(n)) })
		o.limited += fmt.Sprintf("%s %d ", name, n)

		return nil
	}}
}

func lifetime(name string, set func(*sql.DB, time.Duration)) k6x.Option[options] {
	return k6x.Option[options]{Name: name, Read: func(o *options, method string, value sobek.Value) error {
		d, err := k6x.Time(method, "option "+name, value)
		if err != nil {
			return err
		}
		o.limits = append(o.limits, func(pool *sql.DB) { set(pool, d) })
		o.limited += fmt.Sprintf("%s %s ", name, d)

		return nil
	}}
}

func timeoutOf(method, what string, value sobek.Value) (time.Duration, error) {
	d, err := k6x.Time(method, what, value)
	if err == nil && d <= 0 {
		return 0, k6x.Misuse("%s: %s must be more than 0", method, what)
	}

	return d, err
}

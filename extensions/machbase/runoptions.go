package machbase

import (
	"reflect"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type runOptions struct {
	iterations  uint64
	duration    time.Duration
	query, exec string
	params      []pattern
	expect      []expectation
	minRows     rowCount
	seed        uint64
	timeout     time.Duration
	tags        k6x.Tags
}

var allRunOptions = k6x.Options[runOptions]{ //nolint:gochecknoglobals // a table
	{Name: "iterations", Read: func(o *runOptions, method string, value sobek.Value) (err error) {
		if o.iterations, err = k6x.Unsigned(method, "option iterations", value); err == nil && o.iterations == 0 {
			err = k6x.Wrong(method, "option iterations", "an integer from 1", value)
		}

		return err
	}},
	{Name: "duration", Read: func(o *runOptions, method string, value sobek.Value) (err error) {
		if o.duration, err = k6x.Time(method, "option duration", value); err == nil && o.duration == 0 {
			err = k6x.Misuse("%s: option duration must be more than 0", method)
		}

		return err
	}},
	k6x.Into("query", func(o *runOptions) *string { return &o.query }, k6x.Name),
	k6x.Into("exec", func(o *runOptions) *string { return &o.exec }, k6x.Name),
	{Name: "params", Read: func(o *runOptions, _ string, value sobek.Value) (err error) {
		o.params, err = patterns(value)

		return err
	}},
	{Name: "expect", Read: func(o *runOptions, method string, value sobek.Value) (err error) {
		o.expect, err = expectations(method, value)

		return err
	}},
	k6x.Into("minRows", func(o *runOptions) *rowCount { return &o.minRows }, readRowCount),
	k6x.Into("seed", func(o *runOptions) *uint64 { return &o.seed }, k6x.Unsigned),
	{Name: "timeout", Read: func(o *runOptions, method string, value sobek.Value) error {
		return readTimeout(&o.timeout, method, value)
	}},
	k6x.TagsOption(func(o *runOptions) *k6x.Tags { return &o.tags }),
}

func (c *client) runOptions(value sobek.Value) (*runOptions, error) {
	o := &runOptions{seed: 1, timeout: c.config.Timeout}
	if err := allRunOptions.Read("run", value, o); err != nil {
		return nil, err
	}
	o.timeout = c.limit(o.timeout)
	switch {
	case (o.query == "") == (o.exec == ""):
		return nil, k6x.Misuse("run: either option query or option exec (the SQL of a statement) must be given")
	case (o.iterations == 0) == (o.duration == 0):
		return nil, k6x.Misuse("run: either option iterations (a number of operations) or option duration (a time such as '30s') must be given")
	case o.exec != "" && (o.expect != nil || o.minRows.given):
		return nil, k6x.Misuse("run: options expect and minRows are for query: exec returns no rows")
	}

	o.minRows = o.minRows.withExpect(o.expect)

	return c.module.runOptions.of(o), nil
}

// Clients with equal options share one read-only copy: with hundreds of clients in turn,
// separate copies would be cache misses.
type sharedOptions struct{ last atomic.Pointer[runOptions] }

func (s *sharedOptions) of(o *runOptions) *runOptions {
	if last := s.last.Load(); last != nil && reflect.DeepEqual(last, o) {
		return last
	}
	s.last.Store(o)

	return o
}

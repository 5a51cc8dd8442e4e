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
	k6x.Into("iterations", func(o *runOptions) *uint64 { return &o.iterations }, func(method, what string, value sobek.Value) (uint64, error) {
		n, err := k6x.Unsigned(method, what, value)
		if err == nil && n == 0 {
			err = k6x.Wrong(method, what, "an integer from 1", value)
		}

		return n, err
	}),
	k6x.Into("duration", func(o *runOptions) *time.Duration { return &o.duration }, aboveZero),
	k6x.Into("query", func(o *runOptions) *string { return &o.query }, k6x.Name),
	k6x.Into("exec", func(o *runOptions) *string { return &o.exec }, k6x.Name),
	k6x.Into("params", func(o *runOptions) *[]pattern { return &o.params }, patterns),
	k6x.Into("expect", func(o *runOptions) *[]expectation { return &o.expect }, expectations),
	k6x.Into("minRows", func(o *runOptions) *rowCount { return &o.minRows }, readRowCount),
	k6x.Into("seed", func(o *runOptions) *uint64 { return &o.seed }, k6x.Unsigned),
	k6x.Into("timeout", func(o *runOptions) *time.Duration { return &o.timeout }, aboveZero),
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

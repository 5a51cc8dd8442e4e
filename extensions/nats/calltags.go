package nats

import (
	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

type callOptions struct {
	tags *k6x.Tags
}

var calling = k6x.Options[callOptions]{ //nolint:gochecknoglobals // a table
	k6x.Into("tags", func(o *callOptions) **k6x.Tags { return &o.tags }, readTags),
}

func readTags(method, what string, value sobek.Value) (*k6x.Tags, error) {
	tags, err := k6x.ReadTags(method, what, value)

	return &tags, err
}

func (c *client) tags(method string, options sobek.Value) (*k6x.Tags, error) {
	if k6x.IsNullish(options) {
		return nil, nil //nolint:nilnil // as documented
	}

	return c.callTags.Of(c.Runtime(), options, func(value sobek.Value) (*k6x.Tags, error) {
		var o callOptions
		err := calling.Read(method, value, &o)

		return o.tags, err
	})
}

// tagged adds the options { tags } to an operation, as argument number at.
func tagged[T k6x.Tasker](method string, at int, read operation[T]) operation[T] {
	return func(of T, call sobek.FunctionCall) (*task, error) {
		t, err := read(of, call)
		if err == nil {
			t.tags, err = t.client.tags(method, call.Argument(at))
		}

		return t, err
	}
}

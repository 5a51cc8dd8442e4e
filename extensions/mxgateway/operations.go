package mxgateway

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/lib/types"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

const defaultName = "k6"

var callOptions = k6x.Options[task]{ //nolint:gochecknoglobals // a table
	k6x.TagsOption(func(t *task) *k6x.Tags { return &t.tags }),
}

func (c *client) task(operation string, options sobek.Value) (*task, error) {
	t := &task{client: c, operation: operation}

	return t, callOptions.Read(operation, options, t)
}

func (c *client) connect(call sobek.FunctionCall) (*task, error) {
	t, err := c.task(opConnect, call.Argument(0))
	if err != nil {
		return nil, err
	}
	t.job = func(ctx context.Context) error {
		if err := c.dial(); err != nil {
			return err
		}
		if err := c.conn.Connect(ctx); err != nil {
			if c.session == nil {
				c.closeConn()
			}

			return err
		}
		_, err := c.connected(ctx)

		return err
	}

	return t, nil
}

func (c *client) open(call sobek.FunctionCall) (*task, error) {
	name, err := nameOf(opOpen, call.Argument(0))
	if err != nil {
		return nil, err
	}
	t, err := c.task(opOpen, call.Argument(1))
	if err != nil {
		return nil, err
	}
	var opened wire.Opened
	t.job = func(ctx context.Context) error {
		conn, err := c.connected(ctx)
		if err != nil {
			return err
		}
		if c.session != nil {
			return k6x.Misuse("a session is open: call close() first")
		}
		if c.session, err = conn.OpenSession(ctx, c.schema, name); err != nil {
			return err
		}
		opened = c.session.Opened

		return nil
	}
	t.value = func() any {
		return map[string]any{
			"sessionId": opened.SessionID, "backendName": opened.BackendName,
			"gatewayProtocolVersion": opened.GatewayProtocol, "workerProtocolVersion": opened.WorkerProtocol,
		}
	}

	return t, nil
}

func (c *client) register(call sobek.FunctionCall) (*task, error) {
	name, err := nameOf(opRegister, call.Argument(0))
	if err != nil {
		return nil, err
	}
	t, err := c.task(opRegister, call.Argument(1))
	if err != nil {
		return nil, err
	}
	var handle int64
	t.job = func(ctx context.Context) error {
		session, err := c.opened()
		if err != nil {
			return err
		}
		handle, err = session.Register(ctx, name)

		return err
	}
	t.value = func() any { return handle }

	return t, nil
}

func (c *client) subscribe(call sobek.FunctionCall) (*task, error) {
	tags, err := tagsOf(opSubscribe, call.Argument(0))
	if err != nil {
		return nil, err
	}
	t, err := c.task(opSubscribe, call.Argument(1))
	if err != nil {
		return nil, err
	}
	var items []wire.Item
	t.job = func(ctx context.Context) error {
		session, err := c.opened()
		if err != nil {
			return err
		}
		if items, err = session.Subscribe(ctx, tags); err != nil {
			return err
		}
		for i := range items {
			if items[i].Successful {
				c.handles = append(c.handles, items[i].Handle)
			}
		}
		c.tags = append(c.tags, tags...)

		return nil
	}
	t.value = func() any { return itemsToJS(items) }

	return t, nil
}

func (c *client) unsubscribe(call sobek.FunctionCall) (*task, error) {
	var given []int64
	if !k6x.IsNullish(call.Argument(0)) {
		list, err := k6x.Elements(opUnsubscribe, "the handles", call.Argument(0))
		if err != nil {
			return nil, err
		}
		given = make([]int64, len(list)) // not nil: an empty array means no tags, not all
		for i, one := range list {
			handle, isInt := k6x.Scalar(one).(int64)
			if !isInt {
				return nil, k6x.Wrong(opUnsubscribe, "a handle", "an integer", one)
			}
			given[i] = handle
		}
	}
	t, err := c.task(opUnsubscribe, call.Argument(1))
	if err != nil {
		return nil, err
	}
	var items []wire.Item
	t.job = func(ctx context.Context) error {
		session, err := c.opened()
		if err != nil {
			return err
		}
		handles := given
		if handles == nil {
			handles = c.handles
		}
		if items, err = session.Unsubscribe(ctx, handles); err != nil {
			return err
		}
		c.handles = slices.DeleteFunc(slices.Clone(c.handles), func(h int64) bool { return slices.Contains(handles, h) })
		if len(c.handles) == 0 {
			c.tags = nil
		}

		return nil
	}
	t.value = func() any { return itemsToJS(items) }

	return t, nil
}

type readOptions struct {
	Wait types.NullDuration `json:"wait"`
	Tags k6x.Tags           `json:"tags"`
}

func (c *client) readBulk(call sobek.FunctionCall) (*task, error) {
	var given []string
	if !k6x.IsNullish(call.Argument(0)) {
		var err error
		if given, err = tagsOf(opReadBulk, call.Argument(0)); err != nil {
			return nil, err
		}
	}
	var o readOptions
	if err := k6x.ReadOptions(call.Argument(1), &o); err != nil {
		return nil, k6x.Misuse("readBulk: %s", err)
	}
	wait, err := waitOf(o.Wait)
	if err != nil {
		return nil, k6x.Misuse("readBulk: %s", err)
	}
	t := &task{client: c, operation: opReadBulk, tags: o.Tags}
	var results []wire.Result
	t.job = func(ctx context.Context) error {
		session, tags, err := c.reading(given)
		if err != nil {
			return err
		}
		if results, err = session.ReadBulk(ctx, tags, wait); err != nil {
			return err
		}
		for i := range results {
			t.counts.Add(&results[i])
		}

		return nil
	}
	t.value = func() any { return resultsToJS(results) }

	return t, nil
}

// The caller holds c.mu.
func (c *client) reading(given []string) (*wire.Session, []string, error) {
	session, err := c.opened()
	if err != nil {
		return nil, nil, err
	}
	tags := given
	if tags == nil {
		tags = c.tags
	}
	if len(tags) == 0 {
		return nil, nil, k6x.Misuse("there are no tags: subscribe to some first, or pass them")
	}

	return session, tags, nil
}

func (c *client) close(call sobek.FunctionCall) (*task, error) {
	t, err := c.task(opClose, call.Argument(0))
	if err != nil {
		return nil, err
	}
	t.job = func(ctx context.Context) error {
		defer c.closeConn()
		if t.unsent = c.session == nil; t.unsent {
			return nil
		}
		err := c.session.Close(ctx)
		c.forget()

		return err
	}

	return t, nil
}

const maxWait = 24 * time.Hour

func waitOf(given types.NullDuration) (time.Duration, error) {
	wait := given.TimeDuration()
	if wait < 0 || wait > maxWait {
		return 0, fmt.Errorf("wait must be from 0 (the worker's setting) to %s, not %s", maxWait, wait)
	}

	return wait, nil
}

package resp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6mod"
	"github.com/xk6-sweep/xk6-sweep/extensions/workload"
)

// leastBuffer is what values are read into at first, in bytes: go-redis gives up a connection when
// its buffer is too small.
const leastBuffer = 4 << 10

// Get implements workload.Store.
func (n *node) Get(key, buf []byte) (value []byte, hit bool, err error) {
	if cap(buf) < leastBuffer {
		buf = make([]byte, 0, leastBuffer)
	}
	err = n.do(func(ctx context.Context, client *redis.Client) (err error) {
		size, err := client.GetToBuffer(ctx, string(key), buf[:cap(buf)]).Result()
		value = buf[:size]

		return err
	})
	if err != nil && strings.Contains(err.Error(), "redis: buffer too small") {
		err = n.do(func(ctx context.Context, client *redis.Client) (err error) {
			value, err = client.Get(ctx, string(key)).Bytes()

			return err
		})
		value = append(make([]byte, 0, 2*len(value)), value...) // with room for larger ones
	}
	hit = err == nil
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	n.counted("get", err, hit)

	return value, hit, err
}

// Set implements workload.Store.
func (n *node) Set(key, value []byte, ttl int) error {
	err := n.do(func(ctx context.Context, client *redis.Client) error {
		return client.Set(ctx, string(key), value, seconds(ttl)).Err()
	})
	n.client.Count("set", err)

	return err
}

// Delete implements workload.Store.
func (n *node) Delete(key []byte) error {
	err := n.do(func(ctx context.Context, client *redis.Client) error { return client.Del(ctx, string(key)).Err() })
	n.client.Count("delete", err)

	return err
}

// Touch implements workload.Toucher.
func (n *node) Touch(key []byte, ttl int) error {
	err := n.do(func(ctx context.Context, client *redis.Client) error { return touch(ctx, client, key, ttl).Err() })
	n.client.Count("touch", err)

	return err
}

// GetMulti implements workload.MultiGetter.
func (n *node) GetMulti(keys [][]byte, got func(i int, value []byte)) error {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = string(key)
	}
	hits := 0
	err := n.do(func(ctx context.Context, client *redis.Client) error {
		values, err := client.MGet(ctx, names...).Result()
		for i, value := range values {
			if text, ok := value.(string); ok {
				hits++
				got(i, []byte(text))
			}
		}

		return err
	})
	misses := len(keys) - hits
	if err != nil {
		hits, misses = 0, 0
	}
	n.client.Count("getMulti", err, hits, misses)

	return err
}

// Pipeline implements workload.Pipeliner.
func (n *node) Pipeline(commands []workload.Command, got func(i int, value []byte)) error {
	replies := make([]redis.Cmder, len(commands))
	broken := n.do(func(ctx context.Context, client *redis.Client) error {
		pipe := client.Pipeline()
		for i := range commands {
			replies[i] = enqueue(ctx, pipe, &commands[i])
		}
		_, err := pipe.Exec(ctx)
		var said redis.Error
		if errors.As(err, &said) {
			return nil // of one command, which has it
		}

		return err
	})
	for i := range commands {
		n.replied(&commands[i], replies[i], broken, func(value []byte) { got(i, value) })
	}

	return broken
}

// replied fills in what came of a command of a pipeline.
func (n *node) replied(c *workload.Command, reply redis.Cmder, broken error, got func(value []byte)) {
	err := broken
	if reply != nil && broken == nil {
		err = reply.Err()
	}
	read, isGet := reply.(*redis.StringCmd)
	hit := isGet && err == nil
	switch {
	case errors.Is(err, redis.Nil):
		err = nil
	case err != nil && broken == nil:
		err = n.failed(err)
	}
	c.Answered, c.Err = true, err
	if c.Op != workload.Get {
		n.client.Count(c.Op.String(), err)

		return
	}
	n.counted("get", err, hit)
	if hit {
		got([]byte(read.Val()))
	}
}

func enqueue(ctx context.Context, pipe redis.Pipeliner, c *workload.Command) redis.Cmder {
	switch c.Op { //nolint:exhaustive // pipelines hold no others
	case workload.Get:
		return pipe.Get(ctx, string(c.Key))
	case workload.Set:
		return pipe.Set(ctx, string(c.Key), c.Value, seconds(c.TTL))
	case workload.Delete:
		return pipe.Del(ctx, string(c.Key))
	default:
		return touch(ctx, pipe, c.Key, c.TTL)
	}
}

// touch renews a time to live, or ends it.
func touch(ctx context.Context, to redis.Cmdable, key []byte, ttl int) redis.Cmder {
	if ttl == 0 {
		return to.Persist(ctx, string(key))
	}

	return to.Expire(ctx, string(key), seconds(ttl))
}

func seconds(ttl int) time.Duration { return time.Duration(ttl) * time.Second }

// counted counts a get.
func (n *node) counted(operation string, err error, hit bool) {
	switch {
	case err != nil:
		n.client.Count(operation, err)
	case hit:
		n.client.Count(operation, nil, 1, 0)
	default:
		n.client.Count(operation, nil, 0, 1)
	}
}

// do does a job on the connection. A key that is not there is redis.Nil; other errors are the
// module's.
func (n *node) do(job func(context.Context, *redis.Client) error) error {
	n.client.seat.Begin()
	client, err := n.ready()
	if err != nil {
		return err
	}
	if err = job(n.client.VU().Context(), client); err == nil || errors.Is(err, redis.Nil) {
		return err
	}

	return n.failed(err)
}

// failed is why an operation has failed, in the module's terms.
func (n *node) failed(err error) error {
	if n.client.VU().Context().Err() != nil {
		return k6mod.TestEnded()
	}
	e := n.client.As(err)
	switch e.Kind {
	case k6mod.KindFull:
		return fmt.Errorf("%w: %w", workload.ErrRefused, &e)
	case k6mod.KindConnection, k6mod.KindTimeout:
		n.interrupt() // go-redis gives it up as well, but not always at once
	}

	return &e
}

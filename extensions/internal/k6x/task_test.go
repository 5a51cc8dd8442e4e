package k6x_test

import (
	"context"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

type cacheTask struct {
	cache *cache
	key   string
	tags  k6x.Tags
	took  time.Duration
}

var getOptions = k6x.Options[cacheTask]{k6x.TagsOption(func(t *cacheTask) *k6x.Tags { return &t.tags })}

func (t *cacheTask) CallTags() k6x.Tags { return t.tags }

func (c *cache) get(call sobek.FunctionCall) (*cacheTask, error) {
	t := &cacheTask{cache: c}
	var err error
	if t.key, err = k6x.Name("get", "the key", call.Argument(0)); err == nil {
		err = getOptions.Read("get", call.Argument(1), t)
	}

	return t, err
}

func (t *cacheTask) Do(ctx context.Context, waits bool) error {
	if gate := t.cache.gates[t.key]; gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return k6x.TestEnded()
		}
	}
	t.took = time.Millisecond
	switch t.key {
	case "broken":
		return errServer
	case "fault":
		panic("a bug")
	}
	if waits {
		t.cache.performed = append(t.cache.performed, t.key)
	} else {
		t.cache.performed = append(t.cache.performed, "async "+t.key)
	}

	return nil
}

func (t *cacheTask) Finish(err error) (sobek.Value, error) {
	t.cache.Count("get", err, 1)
	t.cache.EmitDuration("get", err, t.took)

	return t.cache.Runtime().ToValue(t.key), err
}

func TestBothForms(t *testing.T) {
	v, c := startedCacheVU(t, true)
	require.Equal(t, "a", v.Run(`client.get('a')`))
	v.Loop(`if (await client.asyncGet('b') !== 'b') throw new k6x.Error('another one')`)
	require.Equal(t, []string{"a", "async b"}, c.performed)
	require.Equal(t, 2.0, v.Counted("cache_ops", "op", "get", "outcome", "ok"))

	requireThrown(t, k6x.KindUsage, "get: the key must be a string that is not empty, not 5", v.Fail(`client.get(5)`))
	requireThrown(t, k6x.KindUsage, "get: the key must be a string that is not empty, not ''", v.Rejected(`client.asyncGet('')`))
	server := testutil.Thrown{Name: "CacheError", Message: "the server says: out of order", Kind: k6x.KindServer, Code: 7}
	require.Equal(t, server, v.Fail(`client.get('broken')`))
	require.Equal(t, server, v.Rejected(`client.asyncGet('broken')`))
	require.Equal(t, 2.0, v.Counted("cache_ops", "outcome", k6x.KindServer))
}

func TestPanicInTask(t *testing.T) {
	v, _ := startedCacheVU(t, false)
	for _, e := range []testutil.Thrown{v.Fail(`client.get('fault')`), v.Rejected(`client.asyncGet('fault')`)} {
		require.Equal(t, k6x.KindInternal, e.Kind)
		require.Contains(t, e.Message, "a bug")
	}
	require.Equal(t, 2.0, v.Counted("cache_ops", "outcome", k6x.KindInternal))
}

func TestTasksInTheInitContext(t *testing.T) {
	v, c := newCacheVU(t, true)
	const why = "a Client cannot be used in the init context; use it in setup() or in a scenario's function"
	requireThrown(t, k6x.KindUsage, why, v.Fail(`new cache.Client().get('a')`))
	v.Run(`var why; new cache.Client().asyncGet('a').catch((e) => { why = e.kind })`)
	require.Equal(t, "usage", v.Run(`why`))
	require.Empty(t, c.performed)
}

func TestOrderedTasks(t *testing.T) {
	v, c := startedCacheVU(t, true)
	gate := make(chan struct{})
	c.gates["first"] = gate
	time.AfterFunc(10*time.Millisecond, func() { close(gate) })
	v.Loop(`const all = [client.asyncGet('first'), client.asyncGet('second')];
		client.get('third');
		await Promise.all(all)`)
	require.Equal(t, []string{"async first", "async second", "third"}, c.performed)
}

func TestConcurrentTasks(t *testing.T) {
	v, c := startedCacheVU(t, false)
	gate := make(chan struct{})
	c.gates["first"] = gate
	v.Set("open", func() { close(gate) })
	v.Loop(`const first = client.asyncGet('first');
		client.get('second');
		await client.asyncGet('third');
		open();
		await first`)
	require.Equal(t, []string{"second", "async third", "async first"}, c.performed)
}

func TestTaskAfterTheEnd(t *testing.T) {
	v, c := startedCacheVU(t, true)
	c.gates["held"] = make(chan struct{})
	time.AfterFunc(10*time.Millisecond, v.CancelContext)
	requireThrown(t, k6x.KindCancelled, "the test ended before the answer came", v.Fail(`client.get('held')`))
}

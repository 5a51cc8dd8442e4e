package k6x_test

import (
	"errors"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

type cache struct {
	*k6x.Module

	config    *cacheConfig
	tasks     *k6x.Tasks
	retries   k6x.Series
	performed []string
	gates     map[string]chan struct{}
}

type cacheOptions struct {
	k6x.Target
	k6x.Timeouts

	Size int `json:"size"`
}

type cacheConfig struct {
	urls []string
	size int
}

func (o *cacheOptions) config(urls []string) (*cacheConfig, error) {
	if o.Size < 0 {
		return nil, errors.New("size must be at least 0")
	}

	return &cacheConfig{urls, o.Size}, nil
}

func (c *cache) Tasks() *k6x.Tasks { return c.tasks }

var errServer = errors.New("out of order")

// newCacheVU returns a VU in the init context, and the cache of its last Client.
func newCacheVU(t *testing.T, ordered bool) (*testutil.Runner, *cache) {
	t.Helper()
	made := &cache{gates: map[string]chan struct{}{}}
	methods := k6x.BothForms(map[string]k6x.Operation[*cache, *cacheTask]{"get": (*cache).get})
	v := testutil.NewRunner(t, "k6/x/cache", k6x.New(k6x.Definition{
		ErrorName: "CacheError",
		AsError: func(err error) k6x.Error {
			return k6x.Error{Kind: k6x.KindServer, Code: 7, Message: "the server says: " + err.Error()}
		},
		Metrics: k6x.Metrics{Ops: "cache_ops", Duration: "cache_op_duration", Counts: []string{"cache_hits", "cache_misses"}},
		Exports: func(m *k6x.Module) map[string]any {
			made.Module, made.retries = m, m.Counter("cache_retries")

			return map[string]any{"Client": func(call sobek.ConstructorCall) *sobek.Object {
				var o cacheOptions
				made.config = k6x.ParseClient(m, call, &o, o.config)
				made.tasks = m.NewTasks(ordered)
				m.SetConstant(call.This, "size", made.config.size)
				methods.Put(m.Runtime(), call.This, made)

				return nil
			}}
		},
	}))

	return v, made
}

// startedCacheVU returns a VU after the init context, with a `client`.
func startedCacheVU(t *testing.T, ordered bool) (*testutil.Runner, *cache) {
	t.Helper()
	v, c := newCacheVU(t, ordered)
	v.Run(`var client = new cache.Client('h')`)
	v.Start(0)

	return v, c
}

func requireThrown(t *testing.T, kind, message string, got testutil.Thrown) {
	t.Helper()
	require.Equal(t, testutil.Thrown{Name: "CacheError", Message: message, Kind: kind}, got)
}

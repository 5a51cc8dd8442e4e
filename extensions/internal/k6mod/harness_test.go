package k6mod

import (
	"errors"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6test"
)

type cache struct {
	*Module

	config    *cacheConfig
	tasks     *Tasks
	retries   k6glue.Series
	performed []string
	gates     map[string]chan struct{}
}

type cacheOptions struct {
	Target
	Timeouts

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

func (c *cache) Tasks() *Tasks { return c.tasks }

var errServer = errors.New("out of order")

// newCacheVU returns a VU in the init context, and the cache of its last Client.
func newCacheVU(t *testing.T, ordered bool) (*k6test.Runner, *cache) {
	t.Helper()
	made := &cache{gates: map[string]chan struct{}{}}
	methods := BothForms(map[string]Operation[*cache, *cacheTask]{"get": (*cache).get})
	v := k6test.NewRunner(t, "k6/x/cache", New(Definition{
		ErrorName: "CacheError",
		AsError: func(err error) Error {
			return Error{Kind: KindServer, Code: 7, Message: "the server says: " + err.Error()}
		},
		Metrics: Metrics{Ops: "cache_ops", Duration: "cache_op_duration", Counts: []string{"cache_hits", "cache_misses"}},
		Exports: func(m *Module) map[string]any {
			made.Module, made.retries = m, m.Counter("cache_retries")

			return map[string]any{"Client": func(call sobek.ConstructorCall) *sobek.Object {
				var o cacheOptions
				made.config = ParseClient(m, call, &o, o.config)
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
func startedCacheVU(t *testing.T, ordered bool) (*k6test.Runner, *cache) {
	t.Helper()
	v, c := newCacheVU(t, ordered)
	v.Run(`var client = new cache.Client('h')`)
	v.Start(0)

	return v, c
}

func requireThrown(t *testing.T, kind, message string, got k6test.Thrown) {
	t.Helper()
	require.Equal(t, k6test.Thrown{Name: "CacheError", Message: message, Kind: kind}, got)
}

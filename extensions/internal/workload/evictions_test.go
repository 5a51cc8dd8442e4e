package workload

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

type cache struct {
	began  time.Time
	free   int
	fails  error
	closed bool
}

func (c *cache) Read() (evicted uint64, free int, err error) {
	return 1000 + 10*uint64(time.Since(c.began)/(100*time.Millisecond)), c.free, c.fails
}

func (c *cache) Close() { c.closed = true }

// watchedEvictions returns the events and the log of a step of 3 s with 2 clients, which watch two
// caches.
func watchedEvictions(t *testing.T, server *cache, refused error) (told []measure.Event, log []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		defer measure.OnEvent(func(e measure.Event) { told = append(told, e) })()
		logger, hook := test.NewNullLogger()
		logger.SetLevel(logrus.InfoLevel)
		step := measure.NewStep(2, measure.Plan{Duration: 3 * time.Second, Warmup: time.Second}, nil)
		server.began = time.Now()
		var w Evictions
		var all sync.WaitGroup
		for i := range 2 {
			all.Go(func() {
				w.Watch(step, "cache:1", logger, func(context.Context) (EvictionsServer, error) {
					require.True(t, step.Started(), "all clients are connected")

					return server, refused
				})
				_ = step.Client(i).Run(t.Context(), "get", nil, func() error {
					time.Sleep(time.Millisecond)

					return nil
				})
			})
		}
		all.Wait()
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		for _, entry := range hook.AllEntries() {
			log = append(log, entry.Message)
		}
	})

	return told, log
}

func TestEvictionsAreRecorded(t *testing.T) {
	server := &cache{free: -1}
	told, log := watchedEvictions(t, server, nil)
	require.Empty(t, log)
	require.Len(t, told, 3, "two in whole times, and the rest at the end")
	total := uint64(0)
	for _, e := range told {
		require.Equal(t, measure.EventEvictions, e.Kind)
		require.Equal(t, "cache:1 evicted a key", e.Text)
		total += e.Times
	}
	require.InDelta(t, 300, total, 15, "those of the warm-up are not among them")
	require.InDelta(t, 105, told[0].Times, 11)
	require.True(t, server.closed)
}

// A refused or unsupported poll leaves a log line and no events.
func TestEvictionsThatCannotBeRecorded(t *testing.T) {
	for want, of := range map[string]struct {
		server  *cache
		refused error
	}{
		"evictions of cache:1 are not recorded: " + errFull.Error(): {&cache{free: 0}, nil},
		"evictions of cache:1 are not recorded: too many":           {&cache{}, errors.New("too many")},
		"evictions of cache:1 are not recorded: unknown command":    {&cache{free: -1, fails: errors.New("unknown command")}, nil},
	} {
		told, log := watchedEvictions(t, of.server, of.refused)
		require.Empty(t, told)
		require.Equal(t, []string{want}, log)
		require.Equal(t, of.refused == nil, of.server.closed)
	}
}

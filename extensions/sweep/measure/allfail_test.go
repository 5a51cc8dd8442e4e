package measure

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAllFail(t *testing.T) {
	refused := func(took time.Duration) func(i, n int) error {
		return func(int, int) error {
			time.Sleep(took)

			return fmt.Errorf("port %d: refused", time.Now().UnixNano())
		}
	}
	for name, tt := range map[string]struct {
		clients  int
		warmup   time.Duration
		work     func(i, n int) error
		after    time.Duration
		failures uint64
	}{
		"fast failures":               {clients: 1, work: refused(ms), after: time.Second, failures: 1000},
		"fast failures of many":       {clients: 8, work: refused(100 * ms), after: time.Second, failures: 73},
		"in the warm-up":              {clients: 2, warmup: time.Minute, work: refused(500 * ms), after: 2500 * ms, failures: 10},
		"few failures, one client":    {clients: 1, work: refused(2 * time.Second), after: 6 * time.Second, failures: 3},
		"slow failures, one client":   {clients: 1, work: refused(time.Minute), after: time.Minute, failures: 1},
		"slow failures, many clients": {clients: 9, work: refused(time.Minute), after: time.Minute, failures: 9},
		"one that is slower": {clients: 3, after: 3 * time.Second, failures: 2*2 + 1 + 25, work: func(i, n int) error {
			time.Sleep(100 * ms)
			if i == 0 {
				time.Sleep(2900 * ms)
			}
			if i == 1 && n > 2 || i == 2 && n > 28 {
				time.Sleep(time.Hour)
			}

			return errServer
		}},
		"one success":      {clients: 4, work: func(i, n int) error { time.Sleep(50 * ms); return unless(i == 3 && n == 1) }},
		"a success, late":  {clients: 1, work: func(_, n int) error { time.Sleep(50 * ms); return unless(n == 18) }},
		"different causes": {clients: 2, work: func(i, _ int) error { time.Sleep(50 * ms); return errors.New(word(i)) }},
		"one that waits": {clients: 2, work: func(i, _ int) error {
			time.Sleep(50 * ms)
			if i == 1 {
				time.Sleep(time.Hour)
			}

			return errServer
		}},
		"a transient fault": {clients: 3, work: func(_, n int) error {
			if n > 5 {
				time.Sleep(50 * ms)
			}

			return unless(n > 5)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
				defer cancel()
				s := NewStep(tt.clients, Plan{Duration: 90 * time.Second, Warmup: tt.warmup}, nil)
				begin := time.Now()
				var after time.Duration
				var count uint64
				s.OnAllFail(func(_ error, failures uint64) {
					require.Zero(t, after, "it is told once")
					after, count = time.Since(begin), failures
					s.Interrupt()
					cancel()
				})
				_ = together(s, func(i int, c *Client) error { // interrupted waits return errors
					n := 0

					return c.Run(ctx, "op", nil, func() error {
						n++
						failed := make(chan error, 1)
						go func(n int) { failed <- tt.work(i, n) }(n)
						select {
						case err := <-failed:
							return err
						case <-ctx.Done():
							s.Interrupt()

							return ctx.Err()
						}
					})
				})
				time.Sleep(2 * time.Hour) // ends the remaining waits
				require.Equal(t, tt.after, after)
				if tt.after > 0 && name != "one that is slower" {
					require.InDelta(t, tt.failures, count, float64(tt.clients))
				}
			})
		})
	}
}

func unless(succeeds bool) error {
	if succeeds {
		return nil
	}

	return errServer
}

// Failed attempts to connect count, even before Run.
func TestAllFailToConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 10}, nil)
		told := 0
		s.OnAllFail(func(err error, failures uint64) {
			told++
			require.Equal(t, errServer, err)
			require.EqualValues(t, 2, failures)
		})
		time.Sleep(time.Minute)
		s.Client(0).Fault("op", errServer)
		require.Zero(t, told)
		s.Client(1).Fault("op", errServer)
		require.Equal(t, 1, told)
		s.Client(1).Fault("op", errServer)
		require.Equal(t, 1, told)
	})
}

func TestAnySucceeded(t *testing.T) {
	s := NewStep(2, Plan{Operations: 1}, nil)
	s.OnAllFail(func(error, uint64) { t.Fail() })
	require.False(t, s.AnySucceeded())
	s.Succeeded()
	require.True(t, s.AnySucceeded())
	for range 20 {
		s.Client(0).Fault("op", errServer)
		s.Client(1).Fault("op", errServer)
	}

	s = NewStep(1, Plan{Operations: 1}, nil)
	require.NoError(t, s.Client(0).Run(t.Context(), "op", nil, func() error { return nil }))
	require.True(t, s.AnySucceeded())
}

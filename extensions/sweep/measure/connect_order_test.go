package measure

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// connected lets each client connect several times, and returns the order and the total time.
func connected(t *testing.T, s *Step, times int, delay func(i int) time.Duration, took time.Duration) (order []int, all time.Duration) {
	t.Helper()
	var mu sync.Mutex
	began := now()
	requireNoErrors(t, together(s, func(i int, c *Client) error {
		time.Sleep(delay(i))
		for range times {
			done := c.ConnectInTurn(t.Context())
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			time.Sleep(took)
			done()
		}

		return nil
	}))

	return order, now() - began
}

// All clients connect for the first time in order, then all for the second.
func TestClientsConnectInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 20
		var want []int
		for range 2 {
			for i := range n {
				want = append(want, i)
			}
		}
		order, took := connected(t, NewStep(n, Plan{Operations: 1}, nil), 2, func(i int) time.Duration { return time.Duration(n-i) * ms }, ms)
		require.Equal(t, want, order)
		require.Equal(t, (n+2*n)*ms, took)
	})
}

// A client that does not connect within a quarter of a second no longer blocks the others.
func TestConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := func(i int) time.Duration {
			if i == 3 {
				return 10 * time.Second
			}

			return 0
		}
		order, took := connected(t, NewStep(512, Plan{Operations: 1}, nil), 1, late, 0)
		require.Equal(t, []int{0, 1, 2}, order[:3])
		require.Equal(t, 3, order[511])
		require.Equal(t, 10*time.Second, took)
	})
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 1}, nil)
		began := now()
		s.Client(1).ConnectInTurn(t.Context())()
		require.Equal(t, orderPatience, now()-began)
		s.Client(1).ConnectInTurn(t.Context())()
		require.Equal(t, orderPatience, now()-began, "the order was given up")
	})
}

// To a distant server, the clients together wait two seconds, not each for all before it.
func TestConnectToDistantServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		order, took := connected(t, NewStep(512, Plan{Operations: 1}, nil), 1, func(int) time.Duration { return 0 }, 100*ms)
		require.True(t, slices.IsSorted(order[:20]))
		require.Equal(t, orderLasts+100*ms, took)
	})
}

func TestTurnsToConnectEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(2, Plan{Operations: 1}, nil)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10*ms, cancel)
		began := now()
		s.Client(1).ConnectInTurn(ctx)()
		require.Equal(t, 10*ms, now()-began)

		s = NewStep(2, Plan{Operations: 1}, nil)
		time.AfterFunc(10*ms, s.Interrupt)
		s.Client(1).ConnectInTurn(t.Context())()
		require.Equal(t, 20*ms, now()-began)
	})
	synctest.Test(t, func(t *testing.T) { // clients at work do not wait
		s := NewStep(2, Plan{Operations: 3}, nil)
		requireNoErrors(t, together(s, func(i int, c *Client) error {
			return c.Run(t.Context(), "op", nil, func() error {
				if i == 1 {
					began := now()
					c.ConnectInTurn(t.Context())()
					require.Equal(t, began, now())
				}

				return nil
			})
		}))
	})
}

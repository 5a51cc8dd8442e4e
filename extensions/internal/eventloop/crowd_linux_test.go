//go:build !portable

package eventloop_test

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/eventloop"
)

func TestLoopLooksAwayForASixteenthOfItsClients(t *testing.T) {
	t.Parallel()
	const long = 1000 // looks, after which the mean is that of all
	for _, tt := range []struct {
		name             string
		clients, answers int
		after, want      time.Duration
	}{
		{"a crowd", 64, 1, 100 * time.Microsecond, 400 * time.Microsecond},
		{"several answers at once", 64, 4, 400 * time.Microsecond, 400 * time.Microsecond},
		{"too few for two answers", 31, 1, 500 * time.Microsecond, 0},
		{"just enough", 32, 1, 100 * time.Microsecond, 200 * time.Microsecond},
		{"a fast server", 256, 1, 2 * time.Microsecond, 0},
		{"no longer than a millisecond", 256, 1, 100 * time.Microsecond, time.Millisecond},
		{"no answer yet", 256, 0, time.Second, 0},
	} {
		require.InDelta(t, float64(tt.want), float64(eventloop.Away(tt.clients, tt.answers, tt.after, long)), float64(time.Microsecond), tt.name)
	}
	require.Zero(t, eventloop.Away(256, 1, time.Second, 1), "one look has no time before it")
	require.Equal(t, time.Millisecond, eventloop.Away(256, 1, time.Second, 3), "a server that stood still")
}

// A crowd that waits for a slow server has all its answers, and each client its deadline.
func TestCrowdAtALoopThatLooksAway(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // one is the loop's
	const clients, operations, quiet = 48, 20, 7
	answers := serve(t, "tcp", func(conn net.Conn) {
		converse(conn, func(line string) error {
			time.Sleep(5 * time.Millisecond)
			_, err := fmt.Fprint(conn, line)

			return err
		})
	})
	silent := serve(t, "tcp", func(conn net.Conn) { converse(conn, func(string) error { return nil }) })
	loops := eventloop.Loops{Active: func() int { return clients }}
	var all sync.WaitGroup
	for number := range clients {
		address := answers
		if number == quiet {
			address = silent
		}
		c, seat := newClient(dial(t, "tcp", address)), loops.Seat()
		all.Go(func() {
			assert.NoError(t, seat.Do(0, func() error {
				c.Use(seat)
				for i := range operations {
					if number == quiet {
						began := time.Now()
						if err := c.SetDeadline(began.Add(20 * time.Millisecond)); err != nil {
							return err
						}
						assert.ErrorIs(t, c.ask("x"), os.ErrDeadlineExceeded)
						assert.GreaterOrEqual(t, time.Since(began), 20*time.Millisecond)

						return nil
					}
					seat.Begin()
					if err := c.ask(fmt.Sprint(number, i)); err != nil {
						return err
					}
				}

				return nil
			}))
		})
	}
	all.Wait()
}

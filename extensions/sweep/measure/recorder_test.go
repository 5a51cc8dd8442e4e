package measure

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOperationsAfterTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 3}, nil)
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			err := c.Run(t.Context(), "op", nil, taking(ms))
			closing := c.Recorder("close")
			closing.Ok(time.Second)
			closing.Fail(errServer)
			closing.Rows(5)

			return err
		}))
		r := s.Read()
		require.Len(t, r.Ops, 1)
		require.EqualValues(t, 3, r.Op("op").Durations.Count)
	})
}

// A failure is reported once, even if the caller ignores it.
func TestReasonsOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		s := NewStep(1, Plan{Operations: 4}, func(err error) { told = append(told, err.Error()) })
		full, empty := errors.New("full"), errors.New("empty")
		n := 0
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			set, get := c.Recorder("set"), c.Recorder("get")

			return c.Run(t.Context(), "op", nil, func() error {
				switch n++; n {
				case 1:
					set.Fail(full) // the caller ignores it
				case 2:
					set.Fail(full)

					return full
				case 3:
					get.Fail(empty)

					return empty
				case 4:
					return errServer
				}

				return nil
			})
		}))
		r := s.Read()
		require.EqualValues(t, 2, r.Op("set").Failed)
		require.Equal(t, map[string]uint64{"full": 2}, r.Op("set").Errors)
		require.EqualValues(t, 1, r.Op("get").Failed)
		require.Equal(t, map[string]uint64{"empty": 1}, r.Op("get").Errors)
		require.EqualValues(t, 1, r.Op("op").Failed)
		require.Equal(t, []string{"full", "empty", errServer.Error()}, told)
	})
}

func TestInterruptedOperationsHaveNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewStep(1, Plan{Operations: 10}, nil)
		n := 0
		requireNoErrors(t, together(s, func(_ int, c *Client) error {
			get := c.Recorder("get")

			return c.Run(t.Context(), "op", nil, func() error {
				if n++; n == 3 {
					s.Interrupt()
					get.Fail(errServer)

					return errServer
				}
				get.Ok(ms)

				return nil
			})
		}))
		r := s.Read()
		require.EqualValues(t, 2, r.Op("get").Durations.Count)
		require.Zero(t, r.Op("get").Failed)
		require.Empty(t, r.Op("get").Errors)
		require.False(t, r.Complete)
	})
}

package measure

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Failed operations count too. A step with a number of operations, or a part of a step, is never
// too short.
func TestStepOfFewOperationsIsTooShort(t *testing.T) {
	for name, tt := range map[string]struct {
		plan     Plan
		took     time.Duration
		complete bool
		ended    uint64
	}{
		"one operation a client": {plan: Plan{Duration: 10 * ms}, took: 10 * ms, ended: 3},
		"9 operations":           {plan: Plan{Duration: 30 * ms}, took: 10 * ms, ended: 9},
		"12 operations":          {plan: Plan{Duration: 40 * ms}, took: 10 * ms, complete: true},
		"an open loop":           {plan: Plan{Rate: 90, Duration: 100 * ms}, took: ms, ended: 9},
		"a part":                 {plan: Plan{Duration: 10 * ms, Part: true}, took: 10 * ms, complete: true},
		"one job":                {plan: Plan{Operations: 1}, took: 10 * ms, complete: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := NewStep(3, tt.plan, nil)
				requireNoErrors(t, together(s, func(i int, c *Client) error {
					return c.Run(t.Context(), "op", nil, func() error {
						time.Sleep(tt.took)
						if i == 0 {
							return errors.New("no")
						}

						return nil
					})
				}))
				r := s.Read()
				require.Equal(t, tt.complete, r.Complete)
				if tt.ended == 0 {
					require.Nil(t, r.TooShort)

					return
				}
				require.Equal(t, &tt.ended, r.TooShort)
			})
		})
	}
}

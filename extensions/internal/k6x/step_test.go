package k6x_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

func TestStep(t *testing.T) {
	v, c := startedCacheVU(t, true)
	c.Step(1000, 1000, 1000) // outside a step

	for range 2 {
		step := measure.NewStep(1, measure.Plan{Operations: 2}, nil)
		session := &k6x.Session{Client: step.Client(0), Op: "get"}
		v.VU.CtxField = k6x.WithSession(t.Context(), session)
		require.Same(t, session, c.Session())
		require.NoError(t, session.Client.Run(v.VU.CtxField, session.Op, nil, func() error {
			session.Op = "get"
			c.Step(3, 1, 2)
			c.Step(0, 10, 20)
			session.Op = "set"
			c.Step(0, 100, 200)

			return nil
		}))
		reading := step.Read()
		get, set := reading.Op("get"), reading.Op("set")
		require.Equal(t, []uint64{6, 22, 44}, []uint64{get.Rows, get.BytesReceived, get.BytesSent})
		require.Equal(t, []uint64{0, 200, 400}, []uint64{set.Rows, set.BytesReceived, set.BytesSent})
	}
}

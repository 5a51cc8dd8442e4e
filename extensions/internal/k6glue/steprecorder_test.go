package k6glue

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"

	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Bytes are those of the operation that the session names at the moment, in the step that it is of.
func TestStepRecorder(t *testing.T) {
	vu := &modulestest.VU{CtxField: t.Context(), StateField: &lib.State{VUID: 1}}
	recorder := NewStepRecorder(vu)
	recorder.Bytes(1000, 1000) // nobody's

	for range 2 {
		step := measure.NewStep(1, measure.Plan{Operations: 2}, nil)
		session := &Session{Client: step.Client(0), Op: "get"}
		vu.CtxField = WithSession(t.Context(), session)
		require.NoError(t, session.Client.Run(vu.CtxField, session.Op, nil, func() error {
			session.Op = "get"
			recorder.Bytes(1, 2)
			recorder.Bytes(10, 20)
			session.Op = "set"
			recorder.Bytes(100, 200)

			return nil
		}))
		reading := step.Read()
		get, set := reading.Op("get"), reading.Op("set")
		require.Equal(t, []uint64{22, 44}, []uint64{get.BytesReceived, get.BytesSent})
		require.Equal(t, []uint64{200, 400}, []uint64{set.BytesReceived, set.BytesSent})
	}
}

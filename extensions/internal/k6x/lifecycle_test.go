package k6x

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
	"go.k6.io/k6/v2/lib"
)

func TestOnVUEndInASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed []string
		s := &Session{}
		ctx, cancel := context.WithCancel(WithSession(t.Context(), s))
		vu := &modulestest.VU{CtxField: ctx, StateField: &lib.State{VUID: 1}}
		OnVUEnd(vu, func() { closed = append(closed, "connection") })
		OnVUEnd(vu, func() { closed = append(closed, "statement") })
		cancel()
		synctest.Wait()
		require.Empty(t, closed, "the end of an iteration is not the end of the step")
		s.End()
		require.Equal(t, []string{"statement", "connection"}, closed)
	})
}

func TestOnVUEndInSetup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := 0
		ctx, cancel := context.WithCancel(t.Context())
		OnVUEnd(&modulestest.VU{CtxField: ctx, StateField: &lib.State{VUID: 0}}, func() { closed++ })
		synctest.Wait()
		require.Zero(t, closed)
		cancel()
		synctest.Wait()
		require.Equal(t, 1, closed)
	})
}

package k6x

import (
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
)

func TestPanicOfACallback(t *testing.T) {
	t.Parallel()
	runtime := modulestest.NewRuntime(t)
	var nobody *sobek.Object
	require.NoError(t, runtime.VU.Runtime().Set("begin", func() {
		RegisterCallback(runtime.VU)(func() error {
			nobody.Get("x")

			return nil
		})
	}))
	_, err := runtime.RunOnEventLoop(`begin()`)
	require.ErrorContains(t, err, "a fault in k6's extensions or in a library")

	require.NoError(t, runtime.VU.Runtime().Set("begin", func() {
		RegisterCallback(runtime.VU)(func() error { panic(runtime.VU.Runtime().ToValue("thrown")) })
	}))
	require.PanicsWithValue(t, runtime.VU.Runtime().ToValue("thrown"), func() { _, _ = runtime.RunOnEventLoop(`begin()`) })
}

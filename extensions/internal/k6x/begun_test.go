package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/js/modulestest"
)

func TestBegun(t *testing.T) {
	t.Parallel()
	runtime := modulestest.NewRuntime(t)
	rt := runtime.VU.Runtime()
	RegisterCallback(runtime.VU)(func() error { return nil }) // without a counter
	http := rt.NewObject()
	require.NoError(t, http.Set("asyncRequest", func(url string) string { return "asked " + url }))
	require.NoError(t, rt.Set("require", func(string) any { return http }))
	require.NoError(t, rt.Set("ours", func() { RegisterCallback(runtime.VU)(func() error { return nil }) }))
	require.NoError(t, rt.Set("http", http))
	b := NewBegun(runtime.VU)
	for script, begun := range map[string]int{
		`1 + 1`:                                   0,
		`(async () => 1)()`:                       0,
		`(async () => { await 1 })()`:             1,
		`Promise.resolve().then(() => {})`:        1,
		`setTimeout(() => {}, 0)`:                 1,
		`clearInterval(setInterval(() => {}, 5))`: 1,
		`ours()`: 1,
		`if (http.asyncRequest('a') !== 'asked a' || http.asyncRequest.name !== 'asyncRequest') throw 1`:       1,
		`try { setTimeout('x', 0) } catch (e) { if (!/TypeError|callable|function/.test(String(e))) throw e }`: 1,
	} {
		before := 0
		require.NoError(t, rt.Set("mark", func() { before = b.Count() }))
		after := 0
		require.NoError(t, rt.Set("counted", func() { after = b.Count() }))
		_, err := runtime.RunOnEventLoop("mark(); " + script + "\n; counted()")
		require.NoError(t, err, script)
		require.Equal(t, begun, after-before, script)
	}
}

package k6x_test

import (
	"errors"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/errext"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/sweep/measure"
)

// Outside a sweep, an uncaught wrong call ends the test; an error from the server does not.
func TestMisuseEndsTheTest(t *testing.T) {
	v, c := startedCacheVU(t, true)
	var thrown error
	v.Set("throws", func(sobek.FunctionCall) sobek.Value { panic(c.NewError(thrown)) })
	ends := func(err error) bool {
		thrown = err
		_, uncaught := v.JS.RunString(`throws()`)
		require.Error(t, uncaught)

		return errext.IsInterruptError(uncaught)
	}
	require.True(t, ends(k6x.Misuse("get: the key must be a string")))
	require.False(t, ends(errors.New("refused")))
	require.False(t, ends(k6x.Errorf(k6x.KindTooLarge, "too large")))

	step := measure.NewStep(1, measure.Plan{Operations: 2}, nil)
	v.VU.CtxField = k6x.WithSession(t.Context(), &k6x.Session{Client: step.Client(0), Op: "get"})
	require.False(t, ends(k6x.Misuse("get: the key must be a string")))
}

func TestMisspelledExports(t *testing.T) {
	v, _ := newCacheVU(t, true)
	for _, script := range []string{`cache.client('h')`, `new cache.Cleint('h')`} {
		require.Contains(t, v.Fail(script).Message, " here: use Client", script)
	}
	require.Equal(t, "Client", v.Run(`let names = ''; for (const name in cache.default) names += name; names`))
}

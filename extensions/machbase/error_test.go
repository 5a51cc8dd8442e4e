package machbase

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestServerErrorKinds(t *testing.T) {
	kinds := map[int]string{
		2010: KindSyntax, 2025: KindNotFound, 2056: KindNotFound, 2654: KindNotFound, 2080: KindAuth, 2081: KindAuth,
		2031: KindBusy, 3039: KindBusy, 3017: KindAppend, 3018: KindAppend, 3027: KindCancelled,
	}
	for code := 1; code < 5000; code++ {
		kind := kinds[code]
		if kind == "" {
			kind = KindServer
		}
		e := cmi.ServerError(code, "text")
		require.Equal(t, &cmi.Error{Code: code, Kind: kind, Message: "text"}, e)
		require.EqualError(t, e, fmt.Sprintf("text (machbase error %d)", code))
	}
}

func TestErrorWithoutACode(t *testing.T) {
	require.EqualError(t, newError(KindUsage, "a %d", 1), "a 1")
}

func TestAsError(t *testing.T) {
	known := newError(KindBusy, "x")
	require.Same(t, known, asError(known))
	require.Same(t, known, asError(fmt.Errorf("wrapped: %w", known)))
	require.Equal(t, newError(KindConnection, "the connection broke: EOF"), asError(errors.New("EOF")))
}

func TestBreaksConnection(t *testing.T) {
	for kind, breaks := range map[string]bool{
		KindConnect: true, KindConnection: true, KindTimeout: true, KindCancelled: true,
		KindAuth: false, KindSyntax: false, KindNotFound: false, KindBusy: false, KindExpect: false, KindUsage: false,
		KindServer: false, KindAppend: false,
	} {
		require.Equal(t, breaks, newError(kind, "x").breaksConnection(), kind)
		require.True(t, (&Error{Kind: kind, outOfStep: true}).breaksConnection(), kind)
	}
	require.False(t, (&Error{Code: 3027, Kind: KindCancelled}).breaksConnection(), "the server cancelled the query, not the connection")
}

package machbase

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestServerErrorKinds(t *testing.T) {
	kinds := map[int]string{
		2010: cmi.KindSyntax, 2025: cmi.KindNotFound, 2056: cmi.KindNotFound, 2654: cmi.KindNotFound, 2080: k6x.KindAuth, 2081: k6x.KindAuth,
		2031: cmi.KindBusy, 3039: cmi.KindBusy, 2024: cmi.KindConflict, 3017: cmi.KindAppend, 3018: cmi.KindAppend, 3027: k6x.KindCancelled,
	}
	for code := 1; code < 5000; code++ {
		kind := kinds[code]
		if kind == "" {
			kind = k6x.KindServer
		}
		e := cmi.ServerError(code, "text")
		require.Equal(t, &cmi.Error{Code: code, Kind: kind, Message: "text"}, e)
		require.EqualError(t, e, fmt.Sprintf("text (machbase error %d)", code))
	}
}

func TestAsError(t *testing.T) {
	known := cmi.ServerError(2031, "x")
	want := k6x.Error{Kind: cmi.KindBusy, Code: 2031, Message: "x (machbase error 2031)", Cause: known}
	require.Equal(t, want, asError(known))
	require.Equal(t, want, asError(fmt.Errorf("wrapped: %w", known)))
	broke := errors.New("EOF")
	require.Equal(t, k6x.Error{Kind: k6x.KindConnection, Message: "the connection broke: EOF", Cause: broke}, asError(broke))
}

func TestBreaks(t *testing.T) {
	for kind, want := range map[string]bool{
		k6x.KindConnect: true, k6x.KindConnection: true, k6x.KindProtocol: true, k6x.KindTimeout: true, k6x.KindCancelled: true, k6x.KindInternal: true,
		k6x.KindAuth: false, cmi.KindSyntax: false, cmi.KindNotFound: false, cmi.KindBusy: false, cmi.KindConflict: false, kindExpect: false, k6x.KindUsage: false,
		k6x.KindServer: false, cmi.KindAppend: false,
	} {
		require.Equal(t, want, breaks(&k6x.Error{Kind: kind}), kind)
	}
	require.False(t, breaks(&k6x.Error{Code: 3027, Kind: k6x.KindCancelled}), "the server cancelled the query, not the connection")
}

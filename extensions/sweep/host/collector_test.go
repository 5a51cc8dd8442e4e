package host

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSetGCPercentUnlessTheUserHas(t *testing.T) {
	for gogc, want := range map[string]int{"": gcPercent, "50": 77} {
		t.Setenv("GOGC", gogc)
		found := debug.SetGCPercent(77)
		SetGCPercent()
		require.Equal(t, want, debug.SetGCPercent(found), "GOGC=%s", gogc)
	}
}

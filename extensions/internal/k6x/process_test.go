package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct{ of, asked, want int }{
		{0, 0, 0}, {0, 99, 99}, {0, 110, 110}, {99, 110, 99}, {110, 99, 99}, {104, 99, 104}, {105, 110, 105}, {110, 0, 110}, {-1, 107, 107}, {-1, 0, -1}, {107, 108, 108}, {107, 110, 107},
		{-1, 108, 108},
	} {
		require.Equal(t, tt.want, exitCode(tt.of, tt.asked), "%+v", tt)
	}
}

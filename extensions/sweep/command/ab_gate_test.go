package command

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseGate(t *testing.T) {
	for text, want := range map[string]abGate{
		"opsPerSecond=-5%": {Figure: "opsPerSecond", Tolerance: 0.05, falls: true},
		"p99=+10%":         {Figure: "p99", Tolerance: 0.1},
		"cpu=+0%":          {Figure: "cpu"},
		"p50=+0.5%":        {Figure: "p50", Tolerance: 0.005},
	} {
		got, err := parseABGate(text)
		require.NoError(t, err)
		require.InDelta(t, want.Tolerance, got.Tolerance, 1e-12)
		got.Tolerance = want.Tolerance
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for _, text := range []string{"", "p99", "p99=", "p99=%", "p99=+", "p99=10%", "p99=+10", "=+10%", "p99=+x%", "p99=+-1%", "p99=+NaN%", "p99=+Inf%"} {
		_, err := parseABGate(text)
		require.EqualError(t, err, `a gate of "`+text+`" is impossible: it must be such as opsPerSecond=-5% or p99=+10%`)
	}
}

func TestCommandAsItIsTyped(t *testing.T) {
	require.Equal(t, `bin/k6 run -e A=b '' 'two words' 'it'\''s' 'a&b'`, program{"bin/k6", "run", "-e", "A=b", "", "two words", "it's", "a&b"}.String())
	require.Equal(t, `bin/k6 run -e 'DSN=host=h password=*** user=u' -e 'REDIS_URL=redis://:***@h:1'`,
		program{"bin/k6", "run", "-e", "DSN=host=h password=geheim user=u", "-e", "REDIS_URL=redis://:geheim@h:1"}.String(), "without passwords")
}

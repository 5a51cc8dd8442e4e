package input

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJSONUnit(t *testing.T) {
	for _, raw := range []string{`0`, `100`, `1500.5`, `-5`, `"5s"`, `"0"`, `"soon"`, `null`, `true`, `{}`} {
		require.NoError(t, JSONUnit("timeout", []byte(raw)), raw)
	}
	for raw, want := range map[string]string{
		`5`:      "timeout 5 could be seconds or milliseconds: write '5s' or '5ms'",
		`0.5`:    "timeout 0.5 could be seconds or milliseconds: write '0.5s' or '0.5ms'",
		`99`:     "timeout 99 could be seconds or milliseconds: write '99s' or '99ms'",
		`"1500"`: "timeout 1500 could be seconds or milliseconds: write '1500s' or '1500ms'",
	} {
		require.EqualError(t, JSONUnit("timeout", []byte(raw)), want)
	}
}

func TestTTLUnit(t *testing.T) {
	require.EqualError(t, TTLUnit("ttl", 60), "ttl 60 must say its unit, such as '60s'")
	require.EqualError(t, TTLUnit("ttl", 60000), "ttl 60000 must say its unit: '60000s', or '60s' if it is milliseconds")
	require.EqualError(t, TTLUnit("ttl", 3600), "ttl 3600 must say its unit: '3600s', or '3.6s' if it is milliseconds")
}

package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReads(t *testing.T) {
	t.Parallel()
	for text, reads := range map[string]bool{
		`const n = __ENV.CLIENTS;`:                                      true,
		`const n = __ENV['CLIENTS'];`:                                   true,
		`const n = wholeNumber("CLIENTS", 1);`:                          true,
		`const { CLIENTS } = __ENV;`:                                    true,
		"const {\n  RATE,\n  CLIENTS: n = '1', // how many\n} = __ENV;": true,
		`const { CLIENTS } = settings; const { RATE } = __ENV;`:         false,
		`// CLIENTS`:            false,
		`const MY_CLIENTS = 1;`: false,
		`__ENV.CLIENTS_MOST`:    false,
	} {
		require.Equal(t, reads, Reads([]string{"import k6 from 'k6';", text}, "CLIENTS"), text)
	}
}

func TestAddressSettings(t *testing.T) {
	t.Parallel()
	one := []string{"const url = __ENV.REDIS_URL || 'redis://127.0.0.1:6379';\n"}
	many := []string{
		"redis: { setting: 'REDIS_URL', usual: 'redis://127.0.0.1:6379' },\nnats: { setting: 'NATS_URL', usual: 'nats://127.0.0.1:4222' },\n",
		"const all = ['REDIS_URL', 'NATS_URL', 'BASE_URL'];\nconst umem = text('UMEM_URL', '[::1]:10047');",
	}
	for name, tt := range map[string]struct {
		failure string
		sources []string
		values  map[string]string
		want    string
	}{
		"its default":          {"dial tcp 127.0.0.1:6379: connection refused", many, nil, "REDIS_URL"},
		"its value":            {"dial tcp 127.0.0.1:1: connection refused", many, map[string]string{"NATS_URL": "nats://db:1"}, "NATS_URL"},
		"a default overridden": {"dial tcp 127.0.0.1:6379: refused", many, map[string]string{"REDIS_URL": "redis://db:1", "BASE_URL": "db:6379"}, "BASE_URL"},
		"two":                  {"dial tcp 127.0.0.1:1: refused", many, map[string]string{"REDIS_URL": "a:1", "BASE_URL": "b:1"}, "BASE_URL or REDIS_URL"},
		"the only one":         {"connection refused", one, nil, "REDIS_URL"},
		"unknown":              {"connection refused", many, nil, ""},
		"no sources":           {"dial tcp 127.0.0.1:6379: connection refused", nil, nil, ""},
	} {
		require.Equal(t, tt.want, addressSettings(tt.failure, tt.sources, func(name string) string { return tt.values[name] }), name)
	}
}

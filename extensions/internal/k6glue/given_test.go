package k6glue

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

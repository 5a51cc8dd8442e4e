package k6x

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHostPort(t *testing.T) {
	for _, tt := range []struct{ host, port, want string }{
		{"db", "1", "db:1"}, {"::1", "65535", "[::1]:65535"}, {"127.0.0.1", "080", "127.0.0.1:080"},
	} {
		address, err := HostPort(tt.host, tt.port)
		require.NoError(t, err)
		require.Equal(t, tt.want, address)
	}
	for _, port := range []string{"", "0", "65536", "-1", "x", "99999999999999999999"} {
		_, err := HostPort("db", port)
		require.Equal(t, errPort, err, port)
	}
	_, err := HostPort("nats:db", "4222")
	require.Equal(t, errHost, err)
	_, err = HostPort("fe80::1%lo", "1")
	require.Equal(t, errZone, err)
}

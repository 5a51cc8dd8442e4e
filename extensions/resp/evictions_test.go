package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEvictedKeysOfInfo(t *testing.T) {
	for text, want := range map[string]struct {
		evicted uint64
		free    int
		err     error
	}{
		"# Clients\r\nconnected_clients:3\r\nmaxclients:10\r\n\r\n# Stats\r\nevicted_keys:77\r\n": {77, 7, nil},
		"connected_clients:10\r\nmaxclients:10\r\nevicted_keys:0\r\n":                             {0, 0, nil},
		"connected_clients:11\r\nmaxclients:10\r\nevicted_keys:0\r\n":                             {0, 0, nil},
		"connected_clients:3\r\nevicted_keys:5\r\n":                                               {5, -1, nil},
		"redis_mode:stub\r\n":   {0, 0, errUntold},
		"evicted_keys:many\r\n": {0, 0, errUntold},
		"# evicted_keys:5\r\n":  {0, 0, errUntold},
		"":                      {0, 0, errUntold},
	} {
		evicted, free, err := evictedOf(text)
		require.Equal(t, want.err, err, text)
		require.Equal(t, want.evicted, evicted, text)
		require.Equal(t, want.free, free, text)
	}
}

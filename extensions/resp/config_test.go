package resp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddresses(t *testing.T) {
	for text, want := range map[string]server{
		"db":                             {Address: "db:6379", Network: "tcp"},
		"db:1":                           {Address: "db:1", Network: "tcp"},
		"::1":                            {Address: "[::1]:6379", Network: "tcp"},
		"[::1]:1":                        {Address: "[::1]:1", Network: "tcp"},
		"redis://":                       {Address: "localhost:6379", Network: "tcp"},
		"redis://:1":                     {Address: "localhost:1", Network: "tcp"},
		"redis://db/":                    {Address: "db:6379", Network: "tcp"},
		"redis://[::1]/3":                {Address: "[::1]:6379", Network: "tcp", DB: 3},
		"redis://joe:s%40cret@db:1/2":    {Address: "db:1", Network: "tcp", User: "joe", Password: "s@cret", DB: 2},
		"redis://:secret@db":             {Address: "db:6379", Network: "tcp", Password: "secret"},
		"rediss://db":                    {Address: "db:6379", Network: "tcp", TLS: true},
		"/run/redis.sock":                {Address: "/run/redis.sock", Network: "unix"},
		"unix://me:pw@/r.s?db=3":         {Address: "/r.s", Network: "unix", User: "me", Password: "pw", DB: 3},
		"unix:///run/redis.sock":         {Address: "/run/redis.sock", Network: "unix"},
		"unix://joe:secret@/run/s%20ock": {Address: "/run/s ock", Network: "unix", User: "joe", Password: "secret"},
	} {
		got, err := parse(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", ":1", "a b", "user@db", "http://db", "redis://db/x", "redis://db/1/2", "redis://db/-1", "redis://db:x", "redis://db?db=1",
		"redis://db#1", "unix:///r.s?db=1&x=2", "unix:///r.s?db=3#x", "unix:///r.s?db=", "unix://", "unix://name", "redis://%zz", "redis://a:b:c",
		"redis://u:a", "b@host", "redis://u:p#w@host", // parts of passwords that contain a comma or a #
	} {
		_, err := parse(text)
		require.Equal(t, errURL, err, text)
	}
}

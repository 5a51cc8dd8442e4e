package jsmodule

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLsThatMayHideAPasswordAreRefused(t *testing.T) {
	for _, address := range []string{"u:s3cret@h:1", "redis://u:12#s3cret@h", "redis://u:12?s3cret@h", "redis://u:1/s3cret@h"} {
		_, err := withoutPassword(address)
		require.ErrorContains(t, err, "url is not a URL")
		require.NotContains(t, err.Error(), "s3cret")
	}
}

func TestSecretsAreTakenOutOfURLs(t *testing.T) {
	for given, want := range map[string]string{
		"machbase://sys:s3cret@h:5656":                      "machbase://sys@h:5656",
		"nats://h:4222":                                     "nats://h:4222",
		"http://h/db?password=s3cret&precision=ns":          "http://h/db?precision=ns",
		"redis://:s3cret@h:6379/0?authToken=s3cret":         "redis://@h:6379/0",
		"http://h/?api_key=s3cret&Secret=s3cret&pwd=s3cret": "http://h/",
	} {
		got, err := withoutPassword(given)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

func TestMetaTakesPasswordsOut(t *testing.T) {
	for address, want := range map[string]string{
		"redis://:secret@h:6379":            "redis://@h:6379",
		"redis://user:secret@h:6379/0":      "redis://user@h:6379/0",
		"nats://us%20er:sec%40ret@h:4222":   "nats://us%20er@h:4222",
		"memcached://h:11211":               "memcached://h:11211",
		"machbase://sys@h:5656?timeout=5s":  "machbase://h:5656?timeout=5s",
		"nats://s3cr3t-token@h:4222":        "nats://h:4222",
		"machbase://sys:secret@[::1]:5656":  "machbase://sys@[::1]:5656",
		"machbase://sys:a:secret@h:5656":    "machbase://sys@h:5656",
		"http://sys:secret@h:5654/db/query": "http://sys@h:5654/db/query",
	} {
		got, err := withoutPassword(address)
		require.NoError(t, err, address)
		require.Equal(t, want, got)
	}
	for _, address := range []string{
		"sys:secret@h:5656", // parses, but is not a URL
		"sys:secret@h",
		"192.0.2.1:5656:secret",
		"machbase://sys:sec ret@h:5656",
		"machbase://sys:secret@h:port",
	} {
		got, err := withoutPassword(address)
		require.Error(t, err, address)
		require.Empty(t, got)
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "sec ret")
	}
}

package sweep

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestURLsThatMayHideAPasswordAreRefused(t *testing.T) {
	for _, address := range []string{"u:s3cret@h:1", "redis://u:12#s3cret@h", "redis://u:12?s3cret@h", "redis://u:1/s3cret@h"} {
		_, err := withoutPassword(address)
		require.ErrorContains(t, err, "target.url is not a URL")
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

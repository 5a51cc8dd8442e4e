package cmi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestParseURLs(t *testing.T) {
	for _, test := range []struct {
		urls           []string
		address        string
		alternatives   []string
		user, password string
		options        []cmi.URLOption
	}{
		{[]string{"db"}, "db:5656", nil, "sys", "", nil},
		{[]string{"db:1"}, "db:1", nil, "sys", "", nil},
		{[]string{"[::1]:1"}, "[::1]:1", nil, "sys", "", nil},
		{[]string{"db?timeout=5s"}, "db:5656", nil, "sys", "", []cmi.URLOption{{"timeout", "5s"}}},
		{[]string{"machbase://me:secret@a:1", "b"}, "a:1", []string{"b:5656"}, "me", "secret", nil},
		{[]string{"a", "machbase://me:secret@b:2", "c:3"}, "a:5656", []string{"b:2", "c:3"}, "me", "secret", nil},
		{[]string{"machbase://me:secret@a", "machbase://me:secret@b"}, "a:5656", []string{"b:5656"}, "me", "secret", nil},
		{
			[]string{"a?timeout=5s", "b?timeout=5s&fetchRows=7"}, "a:5656", []string{"b:5656"}, "sys", "",
			[]cmi.URLOption{{"timeout", "5s"}, {"fetchRows", "7"}},
		},
	} {
		u, err := cmi.ParseURLs(test.urls)
		require.NoError(t, err, test.urls)
		require.Equal(t, test.address, u.Address(), test.urls)
		require.Equal(t, test.alternatives, u.Alternatives, test.urls)
		require.Equal(t, test.options, u.Options, test.urls)
		require.Equal(t, [2]string{test.user, test.password}, [2]string{u.User, u.Password}, test.urls)
	}
}

func TestInvalidURLs(t *testing.T) {
	for want, all := range map[string][][]string{
		"the url must look like machbase://user:password@host:port?timeout=5s, ": {
			{""}, {"me:s3cret@host"}, {"http://host"}, {"a", "me:s3cret@b"}, {"machbase://me:s3cret", "5@host"}, {"::1"}, {"a b"},
		},
		"the urls name different users or passwords": {
			{"machbase://me:s3cret@a", "machbase://you:s3cret@b"}, {"machbase://me:s3cret@a", "machbase://me@b"},
		},
		"the urls have different values for option timeout": {{"a?timeout=1s", "b?timeout=2s"}},
		"port must be from 1 to 65535":                      {{"a", "b:0"}},
	} {
		for _, urls := range all {
			_, err := cmi.ParseURLs(urls)
			require.ErrorContains(t, err, want, urls)
			require.NotContains(t, err.Error(), "s3cret")
		}
	}
}

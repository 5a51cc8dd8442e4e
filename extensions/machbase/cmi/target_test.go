package cmi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
)

func TestParse(t *testing.T) {
	for _, test := range []struct {
		urls           []string
		address        string
		alternatives   []string
		user, password string
		fetchRows      int64
	}{
		{nil, "127.0.0.1:5656", nil, "sys", "", 1000},
		{[]string{"db"}, "db:5656", nil, "sys", "", 1000},
		{[]string{"db:1"}, "db:1", nil, "sys", "", 1000},
		{[]string{"[::1]:1"}, "[::1]:1", nil, "sys", "", 1000},
		{[]string{"db?fetchRows=5"}, "db:5656", nil, "sys", "", 5},
		{[]string{"machbase://me:secret@a:1", "b"}, "a:1", []string{"b:5656"}, "me", "secret", 1000},
		{[]string{"a", "machbase://me:secret@b:2", "c:3"}, "a:5656", []string{"b:2", "c:3"}, "me", "secret", 1000},
		{[]string{"machbase://me:secret@a", "machbase://me:secret@b"}, "a:5656", []string{"b:5656"}, "me", "secret", 1000},
		{[]string{"a?timeout=5s", "b?timeout=5s&fetchRows=7&alternatives=d:4"}, "a:5656", []string{"b:5656", "d:4"}, "sys", "", 7},
	} {
		target := cmi.DefaultTarget()
		require.NoError(t, target.Parse(test.urls), test.urls)
		require.NoError(t, target.Check())
		require.Equal(t, test.address, target.Address(), test.urls)
		require.Equal(t, append([]string{test.address}, test.alternatives...), target.Addresses(), test.urls)
		require.Equal(t, test.fetchRows, target.FetchRows, test.urls)
		require.Equal(t, [2]string{test.user, test.password}, [2]string{target.User, target.Password}, test.urls)
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
			target := cmi.DefaultTarget()
			err := target.Parse(urls)
			require.ErrorContains(t, err, want, urls)
			require.NotContains(t, err.Error(), "s3cret")
		}
	}
}

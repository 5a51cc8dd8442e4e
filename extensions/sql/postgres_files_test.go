package sql

import (
	"errors"
	"net/url"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithFiles(t *testing.T) {
	copied := regexp.MustCompile(`[^'=&]*xk6-sweep-[^'&]*`)
	for name, want := range map[string]struct {
		made  string
		files []string
	}{
		"postgres://u:p@h/db?sslmode=disable":                          {"postgres://u:p@h/db?sslmode=disable", nil},
		"postgres://u:p@h/db?sslrootcert=ca%20x.pem&sslmode=verify-ca": {"postgres://u:p@h/db?sslrootcert=COPY&sslmode=verify-ca", []string{"ca x.pem"}},
		"postgres://h/db?sslcert=./c.pem&sslkey=./k.pem":               {"postgres://h/db?sslcert=COPY&sslkey=COPY", []string{"./c.pem", "./k.pem"}},
		"postgres://h/db?sslrootcert=system":                           {"postgres://h/db?sslrootcert=system", nil},
		"host=h sslrootcert = ca.pem user=u":                           {"host=h sslrootcert = 'COPY' user=u", []string{"ca.pem"}},
		`passfile='it\'s here' host=h`:                                 {"passfile='COPY' host=h", []string{"it's here"}},
		"host=h password='x sslcert=y'":                                {"host=h password='x sslcert=y'", nil},
	} {
		var read, made []string
		err := withFiles(name, func(path string) ([]byte, error) {
			read = append(read, path)

			return []byte("content of " + path), nil
		}, func(name string) error {
			for i, file := range copied.FindAllString(name, -1) {
				file, err := url.QueryUnescape(file)
				require.NoError(t, err)
				content, err := os.ReadFile(file)
				require.NoError(t, err)
				require.Equal(t, "content of "+read[i], string(content))
				made = append(made, file)
			}
			require.Equal(t, want.made, copied.ReplaceAllString(name, "COPY"))

			return nil
		})
		require.NoError(t, err, name)
		require.Equal(t, want.files, read, name)
		for _, file := range made {
			require.NoFileExists(t, file)
		}
	}
	err := withFiles("host=h password=geheim sslkey=k.pem", func(string) ([]byte, error) { return nil, errors.New("no such file") },
		func(string) error { return errors.New("not called") })
	require.EqualError(t, err, "the connection string of PostgreSQL names a file that cannot be read: no such file")
}

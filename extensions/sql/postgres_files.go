package sql

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	parametersOfURL    = regexp.MustCompile(`([?&]\w+=)([^&]*)`)
	parametersOfValues = regexp.MustCompile(`(\w+\s*=\s*)('(?:[^'\\]|\\.)*'|\S+)`)
)

var fileParameters = []string{"sslrootcert", "sslcert", "sslkey", "passfile", "servicefile"} //nolint:gochecknoglobals // a constant

// withFiles calls use with a connection string in which copies replace the named files. Each copy
// holds what read returns for the file, and is deleted when withFiles returns.
func withFiles(name string, read func(path string) ([]byte, error), use func(name string) error) error {
	parameter, plain, quote := parametersOfValues, unquoted, quoted
	if strings.Contains(name, "://") {
		parameter, plain, quote = parametersOfURL, url.QueryUnescape, url.QueryEscape
	}
	if !slices.ContainsFunc(fileParameters, func(file string) bool { return strings.Contains(name, file) }) {
		return use(name)
	}
	folder, err := os.MkdirTemp("", "xk6-sweep-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // in the system's temporary folder
	copies := 0
	name = parameter.ReplaceAllStringFunc(name, func(found string) string {
		parts := parameter.FindStringSubmatch(found)
		path, wrong := plain(parts[2])
		isFile := slices.Contains(fileParameters, strings.Trim(parts[1], "?&= ")) && path != "system" // the system's certificates
		if !isFile || err != nil || wrong != nil {
			return found
		}
		var content []byte
		if content, err = read(path); err != nil {
			err = fmt.Errorf("the connection string of PostgreSQL names a file that cannot be read: %w", err)

			return found
		}
		copies++
		file := filepath.Join(folder, strconv.Itoa(copies))
		err = os.WriteFile(file, content, 0o600)

		return parts[1] + quote(file)
	})
	if err != nil {
		return err
	}

	return use(name)
}

func unquoted(value string) (string, error) { //nolint:unparam // same signature as url.QueryUnescape
	if text, is := strings.CutPrefix(value, "'"); is {
		value = strings.TrimSuffix(text, "'")
	}

	return regexp.MustCompile(`\\(.)`).ReplaceAllString(value, "$1"), nil
}

func quoted(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(value) + "'"
}

package k6x

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"go.k6.io/k6/v2/js/modules"
)

var errLate = errors.New("a relative path works only in the init context, like open(): call it there")

// ReadFile reads a file that an option names, as open() does: the path is relative to the script,
// and archives include the file. After the init context it reads absolute paths only.
func ReadFile(vu modules.VU, path string) ([]byte, error) {
	env := vu.InitEnv()
	switch {
	case env == nil && !filepath.IsAbs(path):
		return nil, errLate
	case env == nil:
		return os.ReadFile(path)
	}
	file, err := env.FileSystems["file"].Open(env.GetAbsFilePath(path))
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read

	return io.ReadAll(file)
}

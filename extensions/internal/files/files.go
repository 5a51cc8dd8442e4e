// Package files replaces files atomically: it writes a temporary file next to the target, syncs it
// and renames it.
package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"go.k6.io/k6/v2/lib/fsext"
)

// LongestName is the longest base name of a report's files in bytes. File systems allow 255.
const LongestName = 200

// File is a path and its new contents.
type File struct {
	Path     string
	Contents []byte
}

// Write replaces a file, and creates its folder if needed. On an error the old file stays.
func Write(on fsext.Fs, path string, contents []byte) error {
	return WriteSet(on, []File{{path, contents}})
}

// WriteSet replaces several files in one folder. If one cannot be written, none is replaced. A lock
// keeps sets of other processes from mixing.
func WriteSet(on fsext.Fs, set []File) error { return ReplaceSet(on, set, "") }

// ReplaceSet is like WriteSet, and moves replaced files to the folder kept.
func ReplaceSet(on fsext.Fs, set []File, kept string) error {
	if len(set) == 0 {
		return nil
	}
	err := writeSet(on, set, kept)
	if errors.Is(err, fs.ErrNotExist) { // another process removed the empty folder
		err = writeSet(on, set, kept)
	}

	return err
}

func writeSet(on fsext.Fs, set []File, kept string) (err error) {
	dir := filepath.Dir(set[0].Path)
	if err := on.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	beside := make([]string, len(set))
	defer func() {
		for _, name := range beside {
			if err != nil && name != "" {
				_ = on.Remove(name) // may already be renamed
			}
		}
	}()
	for i, f := range set {
		if beside[i], err = writeBeside(on, f); err != nil {
			return err
		}
	}

	if kept != "" {
		if err := on.MkdirAll(kept, 0o755); err != nil {
			return err
		}
	}
	defer lock(dir)()
	for i, f := range set {
		if beside[i] == "" {
			continue
		}
		if kept != "" {
			err := on.Rename(f.Path, filepath.Join(kept, filepath.Base(f.Path)))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if err := on.Rename(beside[i], target(f.Path)); err != nil {
			return err
		}
	}
	syncFolder(on, dir)

	return nil
}

// writeBeside writes the contents to a temporary file in the same folder and returns its name. It
// writes a device or pipe directly.
func writeBeside(on fsext.Fs, f File) (name string, err error) {
	path := target(f.Path)
	if info, err := on.Stat(path); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return "", &fs.PathError{Op: "write", Path: f.Path, Err: errors.New("is a folder")}
		}

		return "", fsext.WriteFile(on, path, f.Contents, 0o666)
	}
	name = filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x", filepath.Base(path), rand.Uint32()))
	file, err := on.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return "", named(err, f.Path)
	}
	_, err = file.Write(f.Contents)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = on.Remove(name)

		return "", named(err, f.Path)
	}

	return name, nil
}

// named puts the target's path into an error in place of the temporary one.
func named(err error, path string) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	}

	return err
}

func target(path string) string {
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}

	return path
}

// syncFolder makes renames durable, if the system supports it.
func syncFolder(on fsext.Fs, dir string) {
	folder, err := on.Open(dir)
	if err != nil {
		return
	}
	_ = folder.Sync()
	_ = folder.Close()
}

// Usable creates the folder if needed and checks that files can be created in it.
func Usable(on fsext.Fs, dir string) error {
	if err := on.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	name, err := writeBeside(on, File{Path: filepath.Join(dir, "probe")})
	if err != nil {
		return named(err, dir)
	}

	return on.Remove(name)
}

// Package files writes files so that none is ever cut: each is written beside its place, is on the
// disk, and is renamed.
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

// LongestName is how many bytes the name may have that the files of a report begin with. File
// systems take names of 255 bytes.
const LongestName = 200

// File is a file to be written.
type File struct {
	Path     string
	Contents []byte
}

// Write writes a file, whose folder is made when it is missing. What was there before stays as it
// is when that fails.
func Write(on fsext.Fs, path string, contents []byte) error {
	return WriteSet(on, []File{{path, contents}})
}

// WriteSet writes files of one folder as one: no file is replaced unless all of them could be
// written, and whoever else writes a set there waits while this one takes its place.
func WriteSet(on fsext.Fs, set []File) error { return ReplaceSet(on, set, "") }

// ReplaceSet does the same, and moves the files that it replaces to the folder kept.
func ReplaceSet(on fsext.Fs, set []File, kept string) error {
	if len(set) == 0 {
		return nil
	}
	err := writeSet(on, set, kept)
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder, which was empty
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
				_ = on.Remove(name) // it may have been renamed already
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

// writeBeside writes the file's contents to a new file in its folder, and returns that one's name.
// What is no file, such as a device, is written itself.
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
		_ = on.Remove(name) // there is nothing in it that anybody wants

		return "", named(err, f.Path)
	}

	return name, nil
}

// named is the error with the name of the file that was meant, and not of the one beside it.
func named(err error, path string) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: path, Err: at.Err}
	}

	return err
}

// target is the file that a name stands for, through links.
func target(path string) string {
	if followed, err := filepath.EvalSymlinks(path); err == nil {
		return followed
	}

	return path
}

// syncFolder makes the new names last, where the system can do so.
func syncFolder(on fsext.Fs, dir string) {
	folder, err := on.Open(dir)
	if err != nil {
		return
	}
	_ = folder.Sync() // not every system has it for folders
	_ = folder.Close()
}

// Usable makes the folder when it is missing, and tries whether files can be made in it.
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

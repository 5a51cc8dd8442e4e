package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"
)

func read(t *testing.T, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	require.NoError(t, err)

	return string(raw)
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}

	return names
}

func TestWriteReplacesAndMakesFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "file")
	for _, contents := range []string{"one", "two, longer", "3"} {
		require.NoError(t, Write(fsext.NewOsFs(), path, []byte(contents)))
		require.Equal(t, contents, read(t, path))
	}
	require.Equal(t, []string{"file"}, names(t, filepath.Dir(path)), "nothing is left beside it")
}

func TestWriteFollowsLinksAndWritesDevices(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, Write(fsext.NewOsFs(), link, []byte("new")))
	require.Equal(t, "new", read(t, path))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink, "it is a link still")

	require.NoError(t, Write(fsext.NewOsFs(), os.DevNull, []byte("gone")))
	info, err = os.Stat(os.DevNull)
	require.NoError(t, err)
	require.False(t, info.Mode().IsRegular())
	require.ErrorContains(t, Write(fsext.NewOsFs(), dir, nil), "is a folder")
}

func TestWriteSetIsAtomic(t *testing.T) {
	dir := t.TempDir()
	set := func(contents string) (files []File) {
		for _, name := range []string{"x.json", "x.md", "x.csv"} {
			files = append(files, File{filepath.Join(dir, name), []byte(contents)})
		}

		return files
	}
	require.NoError(t, WriteSet(fsext.NewOsFs(), set("first")))
	bad := set("second")
	bad[2].Path = filepath.Join(dir, "folder")
	require.NoError(t, os.Mkdir(bad[2].Path, 0o755))
	require.ErrorContains(t, WriteSet(fsext.NewOsFs(), bad), "is a folder")
	require.Equal(t, "first", read(t, filepath.Join(dir, "x.json")))
	require.Equal(t, "first", read(t, filepath.Join(dir, "x.md")))
	require.Equal(t, []string{"folder", "x.csv", "x.json", "x.md"}, names(t, dir), "nothing is left beside them")
}

func TestReplaceSetKeepsFiles(t *testing.T) {
	dir := t.TempDir()
	kept := filepath.Join(dir, "previous")
	for _, contents := range []string{"first", "second", "third"} {
		require.NoError(t, ReplaceSet(fsext.NewOsFs(), []File{{filepath.Join(dir, "x.json"), []byte(contents)}}, kept))
	}
	require.Equal(t, "third", read(t, filepath.Join(dir, "x.json")))
	require.Equal(t, "second", read(t, filepath.Join(kept, "x.json")))
	require.Error(t, ReplaceSet(fsext.NewOsFs(), []File{{filepath.Join(dir, "x.json"), nil}, {kept, nil}}, kept))
	require.Equal(t, "third", read(t, filepath.Join(dir, "x.json")))
	require.Equal(t, "second", read(t, filepath.Join(kept, "x.json")))
}

func TestUsable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	require.NoError(t, Usable(fsext.NewOsFs(), dir))
	require.Empty(t, names(t, dir))
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.Error(t, Usable(fsext.NewOsFs(), path))
	require.Error(t, Usable(fsext.NewOsFs(), filepath.Join(path, "below")))
}

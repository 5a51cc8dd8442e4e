//go:build !portable && (linux || darwin || freebsd || netbsd || openbsd)

package files

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.k6.io/k6/v2/lib/fsext"
)

func TestClaimIsExclusive(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".x.running")
	release, ok := Claim(path)
	require.True(t, ok)
	_, ok = Claim(path)
	require.False(t, ok)
	release()
	require.NoFileExists(t, path)
	release, ok = Claim(path)
	require.True(t, ok)
	release()
}

// At most one of many concurrent claims holds the file.
func TestConcurrentClaims(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".x.running")
	var holders, won atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 200 {
				release, ok := Claim(path)
				if !ok {
					continue
				}
				if holders.Add(1) != 1 {
					t.Error("two hold it")
				}
				won.Add(1)
				holders.Add(-1)
				release()
			}
		})
	}
	all.Wait()
	require.Positive(t, won.Load())
}

func TestClaimWithoutFile(t *testing.T) {
	release, ok := Claim(filepath.Join(t.TempDir(), "no", "folder"))
	require.True(t, ok, "the folder itself is tried elsewhere")
	release()
}

func TestSetsOfSeveralNeverMix(t *testing.T) {
	dir := t.TempDir()
	var writers sync.WaitGroup
	for run := range 8 {
		writers.Go(func() {
			var set []File
			for i := range 6 {
				set = append(set, File{filepath.Join(dir, fmt.Sprint("file", i)), fmt.Append(nil, "run ", run)})
			}
			for range 20 {
				if err := WriteSet(fsext.NewOsFs(), set); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	for i := range 6 {
		require.Equal(t, read(t, filepath.Join(dir, "file0")), read(t, filepath.Join(dir, fmt.Sprint("file", i))))
	}
	require.Len(t, names(t, dir), 6)
}

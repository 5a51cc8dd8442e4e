//go:build !portable && (linux || darwin || freebsd || netbsd || openbsd)

package files

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClaimIsOfOneAtATime(t *testing.T) {
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

// However many come and go at once, no two of them hold the file.
func TestClaimsOfMany(t *testing.T) {
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

func TestClaimWhereNoFileCanBeMade(t *testing.T) {
	release, ok := Claim(filepath.Join(t.TempDir(), "no", "folder"))
	require.True(t, ok, "the folder itself is tried elsewhere")
	release()
}

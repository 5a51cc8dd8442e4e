//go:build !portable

package host

import (
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInterruptTime(t *testing.T) {
	part, err := ownPartOfSending(2 * time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, part)
	require.Less(t, part, 1.1)

	file, err := os.Open("/proc/config.gz")
	if os.IsNotExist(err) {
		return // unknown for this kernel
	}
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	config, err := gzip.NewReader(file)
	require.NoError(t, err)
	text, err := io.ReadAll(config)
	require.NoError(t, err)
	require.Equal(t, strings.Contains(string(text), "\nCONFIG_IRQ_TIME_ACCOUNTING=y\n"), interruptsApart())
}

//go:build unix

package testutil_test

import (
	"bufio"
	"io"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/testutil"
)

func TestStopAndContinue(t *testing.T) {
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := make(chan string)
	go func() {
		defer close(lines)
		for from := bufio.NewScanner(out); from.Scan(); {
			lines <- from.Text()
		}
	}()
	for range 20 {
		require.NoError(t, testutil.Stop(child.Process))
		_, err := io.WriteString(in, "a line\n")
		require.NoError(t, err)
		select {
		case line := <-lines:
			require.Fail(t, "it goes on", line)
		case <-time.After(5 * time.Millisecond):
		}
		require.NoError(t, testutil.Continue(child.Process))
		require.Equal(t, "a line", <-lines)
	}
	require.NoError(t, in.Close())
	<-lines
	require.NoError(t, child.Wait())
	require.Error(t, testutil.Stop(child.Process), "it has ended")
}

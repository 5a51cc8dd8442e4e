package host

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// helperAddress is the environment variable that turns the test binary into a server: see
// TestHelperServer.
const helperAddress = "SWEEP_TEST_HELPER_ADDRESS"

type helper struct {
	*testing.T

	address string
	pid     int32
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

func startHelper(t *testing.T, address string) *helper {
	t.Helper()
	h := &helper{T: t, process: exec.Command(os.Args[0], "-test.run=^TestHelperServer$")}
	h.process.Env = append(os.Environ(), helperAddress+"="+address, "GORACE=atexit_sleep_ms=0")
	var err error
	h.in, err = h.process.StdinPipe()
	require.NoError(t, err)
	out, err := h.process.StdoutPipe()
	require.NoError(t, err)
	h.out = bufio.NewScanner(out)
	require.NoError(t, h.process.Start())
	t.Cleanup(h.end)
	h.pid = int32(h.process.Process.Pid)
	h.address = h.line()

	return h
}

func (h *helper) end() {
	_ = h.in.Close()
	_ = h.process.Wait()
}

func (h *helper) line() string {
	require.True(h, h.out.Scan(), "the helper has ended")

	return h.out.Text()
}

// burn makes the helper or its children use processor time, and returns the minimum used.
func (h *helper) burn(how string, d time.Duration) time.Duration {
	_, err := fmt.Fprintln(h.in, how, d)
	require.NoError(h, err)
	burnt, err := time.ParseDuration(h.line())
	require.NoError(h, err)

	return burnt
}

func burn(d time.Duration) {
	for until := selfTime() + d; selfTime() < until; { //nolint:revive // that is the work
	}
}

// TestHelperServer is the helper process. Its commands are "burn", "fork" (in a child that exits)
// and "child" (in a child that stays); "memory" allocates one MB per ns of the duration.
func TestHelperServer(t *testing.T) {
	address := os.Getenv(helperAddress)
	if address == "" {
		return
	}
	told := address
	if address != "none" {
		l, err := net.Listen("tcp", address)
		require.NoError(t, err)
		defer l.Close()
		told = l.Addr().String()
	}
	fmt.Println(told)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		how, duration, _ := strings.Cut(in.Text(), " ")
		d, err := time.ParseDuration(duration)
		require.NoError(t, err)
		switch how {
		case "memory":
			used := make([]byte, int(d)<<20)
			for i := 0; i < len(used); i += os.Getpagesize() {
				used[i] = 1
			}
			runtime.KeepAlive(used)
			debug.FreeOSMemory()
			fmt.Println(time.Duration(0))
		case "burn":
			before := selfTime()
			burn(d)
			fmt.Println(selfTime() - before)
		default:
			child := startHelper(t, "none")
			fmt.Println(child.burn("burn", d))
			if how == "fork" {
				child.end()
			}
		}
	}
	os.Stdout.Close() // or package testing would write to it
}

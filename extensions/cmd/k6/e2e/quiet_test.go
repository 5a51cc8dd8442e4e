package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// busyServer is the variable that makes this test binary a server. A request for /load makes it use
// that much processor time.
const busyServer = "E2E_BUSY_SERVER"

// Each thread of the server is busy for a tenth of the time. That is more than a quiet server uses,
// but takes little of the machine.
const (
	busyThreads = 4
	busyFor     = 10 * time.Millisecond
	restsFor    = 90 * time.Millisecond
)

// TestBusyServer is the server, not a test. It prints its address, "quiet" once it has used the
// processor time, and "asked" at the first request for another path.
func TestBusyServer(t *testing.T) {
	busy, err := time.ParseDuration(os.Getenv(busyServer))
	if err != nil {
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	fmt.Println(listener.Addr())
	var asked sync.Once
	mux := http.NewServeMux()
	mux.HandleFunc("/load", func(http.ResponseWriter, *http.Request) {
		go func() {
			var threads sync.WaitGroup
			until := processorTime(t) + busy
			for range busyThreads {
				threads.Go(func() {
					runtime.LockOSThread()
					for processorTime(t) < until {
						for rests := threadTime(t) + busyFor; threadTime(t) < rests; { //nolint:revive // that is the work
						}
						time.Sleep(restsFor)
					}
				})
			}
			threads.Wait()
			fmt.Println("quiet")
		}()
	})
	mux.HandleFunc("/", func(http.ResponseWriter, *http.Request) { asked.Do(func() { fmt.Println("asked") }) })
	t.Fatal(http.Serve(listener, mux))
}

func processorTime(t *testing.T) time.Duration {
	t.Helper()

	return usedBy(t, unix.RUSAGE_SELF)
}

// threadTime returns the processor time of the thread that the goroutine is locked to.
func threadTime(t *testing.T) time.Duration {
	t.Helper()

	return usedBy(t, unix.RUSAGE_THREAD)
}

func usedBy(t *testing.T, who int) time.Duration {
	t.Helper()
	var used unix.Rusage
	require.NoError(t, unix.Getrusage(who, &used))

	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func startBusyServer(t *testing.T, busy time.Duration) (url string, said func() []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestBusyServer$")
	cmd.Env = append(os.Environ(), busyServer+"="+busy.String(), fmt.Sprint("GOMAXPROCS=", busyThreads))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	scanner := bufio.NewScanner(out)
	require.True(t, scanner.Scan())
	url = "http://" + scanner.Text()
	var mu sync.Mutex
	var lines []string
	go func() {
		for scanner.Scan() {
			mu.Lock()
			lines = append(lines, scanner.Text())
			mu.Unlock()
		}
	}()

	return url, func() []string {
		mu.Lock()
		defer mu.Unlock()

		return append([]string(nil), lines...)
	}
}

func quietOf(t *testing.T, r *run) (quiet struct {
	Reached                    bool
	WaitedSeconds, ServerCores float64
},
) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.results, "quiet.json"))
	require.NoError(t, err, r.output)
	require.NoError(t, json.Unmarshal(raw, &struct{ Quiet any }{&quiet}))
	code, stdout, stderr := sweep(t, "validate", filepath.Join(r.results, "quiet.json"))
	require.Zero(t, code, stdout+stderr)

	return quiet
}

func quietEnv(url, quiet string) map[string]string {
	return map[string]string{defaultEnvMachbase: "", "URL": url, "QUIET": quiet}
}

func TestSweepStartsWhenItsTargetIsQuiet(t *testing.T) {
	t.Parallel()
	url, said := startBusyServer(t, time.Second) // the server needs 2.5 s for that
	r := k6(t, options{script: "testdata/quiet.js", env: quietEnv(url, "60s")})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, []string{"quiet", "asked"}, said())
	quiet := quietOf(t, r)
	require.True(t, quiet.Reached)
	require.Greater(t, quiet.WaitedSeconds, 2.0)
	require.Less(t, quiet.ServerCores, 0.1)
	require.Len(t, r.lines("waiting until the target is quiet, for 1m0s at most: its server uses "), 1, r.output)
	require.Len(t, r.lines("the target is quiet after "), 1)
	require.Contains(t, r.output, "waiting until the target is quiet  ", "the progress line")
	require.NotContains(t, r.table(t, "quiet"), "quiet when")
}

func TestSweepOfATargetThatIsNeverQuiet(t *testing.T) {
	t.Parallel()
	url, said := startBusyServer(t, hang)
	r := k6(t, options{script: "testdata/quiet.js", env: quietEnv(url, "2s")})
	require.Equal(t, exitOK, r.code, r.output)
	require.Equal(t, []string{"asked"}, said())
	quiet := quietOf(t, r)
	require.False(t, quiet.Reached)
	require.GreaterOrEqual(t, quiet.WaitedSeconds, 2.0)
	require.Len(t, r.lines("the target is not quiet after 2s: its server uses "), 1, r.output)
	require.Regexp(t, `The target was not quiet when the sweep began: after [0-9.]+s of waiting, its server still used [0-9.]+ of a core\.`, r.table(t, "quiet"))
	steps := r.report(t, "quiet").Steps
	require.Len(t, steps, 2)
	require.True(t, steps[0].Complete, "it is measured all the same")
}

func TestWaitForAQuietTargetIsInterrupted(t *testing.T) {
	t.Parallel()
	url, said := startBusyServer(t, hang)
	var interrupted time.Time
	r := k6(t, options{
		script: "testdata/quiet.js", env: quietEnv(url, "60s"), shows: "waiting until the target is quiet",
		measuring: func(k6 *os.Process) {
			interrupted = time.Now()
			_ = k6.Signal(os.Interrupt)
		},
	})
	require.Equal(t, exitInterrupted, r.code, r.output)
	require.Less(t, r.ended.Sub(interrupted), 20*time.Second)
	require.Empty(t, said(), "no client came")
	require.Contains(t, strings.Join(r.lines("level=error"), ""), "aborted")
}

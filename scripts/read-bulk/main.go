// Command read-bulk runs several ReadBulk clients at the same time as separate processes, and
// compares their results. scripts/read-bulk.sh builds the known clients and starts it. A client is
// a command whose last JSON object is the common one (see result). `read-bulk go` is the client in
// Go.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Exit codes, besides 128 + signal after a signal.
const (
	exitOK      = 0
	exitProblem = 1
	exitUsage   = 2
)

const patience = 5 * time.Second

func main() {
	if len(os.Args) == 2 && os.Args[1] == "go" {
		if err := goClient(); err != nil {
			fmt.Fprintln(os.Stderr, "read-bulk go:", err)
			os.Exit(exitProblem)
		}

		return
	}
	s, err := parse(os.Args[1:], os.Getenv)
	if err != nil {
		say("%v", err)
		os.Exit(exitUsage)
	}

	os.Exit(bench(s))
}

func bench(s settings) int {
	if err := tryFolder(s.artifacts); err != nil {
		say("%v", err)
		return exitUsage
	}

	stop, kill := make(chan struct{}), make(chan struct{})
	caught := catch(stop, kill)

	say("%d clients at once against %s: %s after %s of warm-up, %d tags a call; a client is given up after %s",
		len(s.clients), s.address, s.duration, s.warmup, s.bulk, s.timeout())
	started := time.Now()
	r := newReport(s, started, runAll(s, ending{stop: stop, kill: kill, patience: patience}))
	r.Interrupted = caught.Load() != 0
	fmt.Print(r.table())

	path, err := r.write(s.artifacts)
	if err != nil {
		say("the report cannot be written: %v", err)
		return exitProblem
	}
	fmt.Printf("report: %s\n", path)

	switch {
	case r.Interrupted:
		return 128 + int(caught.Load())
	case r.hasProblem():
		return exitProblem
	}

	return exitOK
}

func catch(stop, kill chan<- struct{}) *atomic.Int64 {
	first := new(atomic.Int64)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		got := <-signals
		if number, isNumber := got.(syscall.Signal); isNumber {
			first.Store(int64(number))
		}
		say("%s: stopping the clients; again kills them", got)
		close(stop)
		<-signals
		close(kill)
	}()

	return first
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "read-bulk: "+format+"\n", args...) }

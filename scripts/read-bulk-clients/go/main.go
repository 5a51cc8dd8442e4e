// Command go is the ReadBulk benchmark of a gateway's client in Go, over grpc-go. Its settings come
// from the environment. Its last line is the common JSON object (scripts/read-bulk/result.go) for
// scripts/read-bulk.sh.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// pause follows a call that did not reach the gateway, to avoid a busy loop. No latency includes
// it.
const pause = 100 * time.Millisecond

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "read-bulk go:", err)
		os.Exit(1)
	}
}

// bench runs the complete flow. An interrupt ends only the loops, so that the results are printed.
func bench() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := fromEnvironment()
	if err != nil {
		return err
	}
	session, err := open(s)
	if err != nil {
		return err
	}
	defer session.close()

	if err := session.subscribe(); err != nil {
		return err
	}
	session.read(ctx, s.warmup)

	return json.NewEncoder(os.Stdout).Encode(session.read(ctx, s.duration).summary())
}

// read calls ReadBulk repeatedly for the duration, or until ctx ends.
func (s *session) read(ctx context.Context, duration time.Duration) *window {
	var w window
	begun := time.Now()
	for now := begun; now.Sub(begun) < duration && ctx.Err() == nil; {
		results, err := s.readBulk()
		after := time.Now()
		w.add(after.Sub(now), results, err)
		if status.Code(err) == codes.Unavailable {
			time.Sleep(pause)
			after = time.Now()
		}
		now = after
	}
	w.elapsed = time.Since(begun)

	return &w
}

// Command go is the ReadBulk benchmark of a gateway's client in Go, over grpc-go. It takes its
// settings from the environment and prints the shared JSON object as its last line, as
// scripts/read-bulk.sh wants it; the object is described in scripts/read-bulk/result.go.
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

// pause is what follows a call that found no gateway, so that the client does not spin; it belongs
// to no call.
const pause = 100 * time.Millisecond

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, "read-bulk go:", err)
		os.Exit(1)
	}
}

// bench does the whole flow. An interrupt ends the loops, not the flow: what was measured is
// printed.
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

// read calls ReadBulk over and over, for as long as it is told or until ctx ends.
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

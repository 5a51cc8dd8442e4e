// Command witness is what scripts/proof/witness.sh measures: an HTTP server that answers as -mode
// says or, with -to, a proxy that hands answers of another server on after -wait. It prints the
// address that it listens at.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"
)

func main() {
	mode := flag.String("mode", "wait", "wait: an answer takes -wait; busy: it takes so much processor time; "+
		"one: likewise, on a single thread; stall: no answer for -stall, two seconds after the first request")
	wait := flag.Duration("wait", 0, "what an answer takes")
	stall := flag.Duration("stall", 1500*time.Millisecond, "how long the server stands still")
	to := flag.String("to", "", "host:port of the server whose answers are handed on")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	if *to != "" {
		proxy(listener, *to, *wait)

		return
	}
	answers := map[string]func(){
		"wait": func() { time.Sleep(*wait) }, "busy": func() { burn(*wait) }, "one": oneThread(*wait), "stall": staller(*stall),
	}
	answer := answers[*mode]
	if answer == nil {
		log.Fatalf("there is no mode %q", *mode)
	}
	server := http.Server{
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) { answer() }),
		ReadHeaderTimeout: time.Minute,
	}
	log.Fatal(server.Serve(listener))
}

// burn uses the processor for so long.
func burn(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); { //nolint:revive // that is the work
	}
}

// oneThread lets one thread burn for all requests, one after the other.
func oneThread(d time.Duration) func() {
	work := make(chan chan struct{}, 1024)
	go func() {
		runtime.LockOSThread()
		for done := range work {
			burn(d)
			close(done)
		}
	}()

	return func() {
		done := make(chan struct{})
		work <- done
		<-done
	}
}

// staller answers at once, but for a while that begins two seconds after the first request.
func staller(d time.Duration) func() {
	var once sync.Once
	var begin time.Time

	return func() {
		once.Do(func() { begin = time.Now().Add(2 * time.Second) })
		if since := time.Since(begin); since > 0 && since < d {
			time.Sleep(d - since)
		}
	}
}

// proxy hands requests on at once, and answers after a while.
func proxy(listener net.Listener, to string, wait time.Duration) {
	for {
		client, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		server, err := net.Dial("tcp", to)
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			defer func() { _ = server.Close() }()
			_, _ = io.Copy(server, client) // it ends when the client leaves
		}()
		go func() {
			defer func() { _ = client.Close() }()
			answer := make([]byte, 64<<10)
			for {
				n, err := server.Read(answer)
				time.Sleep(wait)
				if _, failed := client.Write(answer[:n]); err != nil || failed != nil {
					return
				}
			}
		}()
	}
}

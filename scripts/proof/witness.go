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

// witness is an HTTP server that answers according to -mode or, with -to, a proxy that delays the
// answers of another server by -wait.
func witness(args []string) {
	flags := flag.NewFlagSet("witness", flag.ExitOnError)
	mode := flags.String("mode", "wait", "wait: an answer takes -wait; busy: it takes so much processor time; "+
		"one: likewise, on a single thread; stall: no answer for -stall, two seconds after the first request")
	wait := flags.Duration("wait", 0, "what an answer takes")
	stall := flags.Duration("stall", 1500*time.Millisecond, "how long the server stands still")
	to := flags.String("to", "", "host:port of the server whose answers are handed on")
	_ = flags.Parse(args) // it exits
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

func burn(d time.Duration) {
	for until := time.Now().Add(d); time.Now().Before(until); { //nolint:revive // the loop is the work
	}
}

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

// staller answers immediately, except during a period that begins two seconds after the first
// request.
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
			_, _ = io.Copy(server, client)
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

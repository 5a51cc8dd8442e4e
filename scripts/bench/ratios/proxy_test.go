package main

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// echo is a server that sends back what it gets.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()

	return listener.Addr().String()
}

// The delay may change while a connection is used.
func TestProxyHoldsRequestsBack(t *testing.T) {
	p, address, err := newProxy("machbase://sys@" + echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.listener.Close()
	host, found := strings.CutPrefix(address, "machbase://sys@")
	if !found {
		t.Fatalf("the address is %s", address)
	}
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 40 * time.Millisecond} {
		p.delay.Store(int64(delay))
		begin := time.Now()
		answer := make([]byte, 4)
		if _, err := conn.Write([]byte("ping")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "ping" {
			t.Fatalf("answer is %q, error is %v", answer, err)
		}
		if took := time.Since(begin); took < delay {
			t.Errorf("took %s with a delay of %s", took, delay)
		}
	}
}

func TestProxyOfNoServer(t *testing.T) {
	for _, server := range []string{"", "127.0.0.1:5656", "machbase://sys:pass word@host"} {
		_, _, err := newProxy(server)
		if err == nil || !strings.HasPrefix(err.Error(), "MACHBASE_URL must be a URL") || strings.Contains(err.Error(), "word") {
			t.Errorf("%q: error is %v", server, err)
		}
	}
}

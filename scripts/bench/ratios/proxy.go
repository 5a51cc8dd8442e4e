package main

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"time"
)

// proxy passes TCP connections on to a server on this machine and holds every request back for a
// while.
type proxy struct {
	listener net.Listener
	server   string
	delay    atomic.Int64 // of each request, nanoseconds
}

// newProxy starts a proxy in front of the server of a URL, and returns it with the URL by which it
// is reached.
func newProxy(server string) (*proxy, string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return nil, "", errors.New("MACHBASE_URL must be a URL such as machbase://127.0.0.1:5656") // it may hold a password
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	p := &proxy{listener: listener, server: u.Host}
	u.Host = listener.Addr().String()
	go p.serve()

	return p, u.String(), nil
}

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		go p.pass(client)
	}
}

func (p *proxy) pass(client net.Conn) {
	defer client.Close() //nolint:errcheck // over
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // over
	go func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	}()

	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if n > 0 {
			time.Sleep(time.Duration(p.delay.Load()))
			if _, err := server.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Mxgateway emulates an MXAccess gateway, for benchmarks of its clients. It identifies itself as an
// emulator in its log, in the backend_name of every session, and in its summary, which it prints to
// stdout after SIGINT or SIGTERM.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/xk6-sweep/xk6-sweep/scripts/mxgateway/emulator"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("mxgateway: ")
	settings, err := readFlags(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		log.Println(err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, settings, os.Stdout)
	stop()
	if err != nil {
		log.Fatalln(err)
	}
}

func run(ctx context.Context, s *settings, out io.Writer) (err error) {
	config, err := s.load()
	if err != nil {
		return err
	}
	if s.log != "" {
		file, err := os.Create(s.log) //nolint:gosec // the user's file
		if err != nil {
			return fmt.Errorf("-log: %w", err)
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		config.Log = file
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	gateway := emulator.New(config, listener)
	defer func() { _ = gateway.Close() }()
	controlled, err := serveControl(s.control, gateway.Control())
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer controlled.close()
	log.Printf("this is an %s, seed %d", gateway.Backend(), config.Seed)                     //nolint:gosec // the shape is one of two names
	log.Printf("listening at %s, control port at %s", gateway.Address(), controlled.address) //nolint:gosec // addresses of listeners

	ended := make(chan error, 1)
	go func() { ended <- gateway.Serve() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	logged := gateway.Close()
	gateway.Summary().Print(out)
	if logged != nil {
		logged = fmt.Errorf("-log: %w", logged)
	}
	return errors.Join(<-ended, logged)
}

type control struct {
	address string
	server  *http.Server
}

func serveControl(address string, handler http.Handler) (*control, error) {
	if address == "" {
		return &control{address: "none"}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("-control: %w", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return &control{address: "http://" + listener.Addr().String(), server: server}, nil
}

func (c *control) close() {
	if c.server != nil {
		_ = c.server.Close()
	}
}

func serverTLS(certificate, key string) (*tls.Config, error) {
	if certificate == "" && key == "" {
		return nil, nil //nolint:nilnil // plaintext is no error
	}
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("-tls-cert, -tls-key: %w", err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

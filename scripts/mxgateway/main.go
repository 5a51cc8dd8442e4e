// Mxgateway emulates an MXAccess gateway, for benchmarks of its clients: the service of
// scenarios/lib/mxaccess_gateway.proto without StreamEvents, with the timing of the published runs
// of the real one, and with faults on request. It has no MXAccess; its tags are generated. It
// identifies itself as an emulator in its log, in the backend_name of every session, and in its
// summary, which it prints after SIGINT or SIGTERM.
package main

import (
	"bufio"
	"context"
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

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

type settings struct {
	listen, control  string
	keys             string
	certificate, key string
	log              string
	shape            string
	seed             uint64
	faults           []fault
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("mxgateway: ")
	s, err := readFlags(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		log.Println(err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err = run(ctx, s, os.Stdout)
	stop()
	if err != nil {
		log.Fatalln(err)
	}
}

func readFlags(args []string, out io.Writer) (*settings, error) {
	s := &settings{}
	flags := flag.NewFlagSet("mxgateway", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`address` of the gRPC service, host:port; port 0: a free port")
	flags.StringVar(&s.control, "control", "127.0.0.1:0", "`address` of the HTTP control port, only on this machine")
	flags.StringVar(&s.keys, "keys", "",
		"`file` of the keys: lines of mxgw_<keyId>_<secret>, a space, and scopes separated by commas (required)")
	flags.StringVar(&s.certificate, "tls-cert", "", "`file` of the certificate (PEM); enables TLS with -tls-key")
	flags.StringVar(&s.key, "tls-key", "", "`file` of its key (PEM)")
	flags.StringVar(&s.log, "log", "", "`file` for a line per ReadBulk call: "+logHeader)
	flags.StringVar(&s.shape, "shape", "published", "`name` of the timing: published, or none, without delay")
	flags.Uint64Var(&s.seed, "seed", 1, "`number` that seeds all random numbers")
	flags.Func("fault", "initial `fault`; repeatable: "+faultSyntax, func(text string) error {
		one, err := parseFault(text)
		s.faults = append(s.faults, one)
		return err
	})
	err := flags.Parse(args)
	host, _, errControl := net.SplitHostPort(s.control)
	switch {
	case errors.Is(err, flag.ErrHelp):
		flags.SetOutput(out)
		flags.Usage()
		return nil, err
	case err != nil:
		return nil, err
	case flags.NArg() > 0:
		return nil, fmt.Errorf("there is no argument %q: everything is a flag; -help lists them", flags.Arg(0))
	case s.keys == "":
		return nil, errors.New("-keys is missing: a file of the keys that are accepted")
	case s.shape != "published" && s.shape != "none":
		return nil, fmt.Errorf("-shape is %q: it must be published or none", s.shape)
	case (s.certificate == "") != (s.key == ""):
		return nil, errors.New("-tls-cert and -tls-key go together")
	case errControl != nil || host != "localhost" && !net.ParseIP(host).IsLoopback(): // it has no authentication
		return nil, fmt.Errorf("-control is %q: it must be a port of this machine only, such as 127.0.0.1:8080", s.control)
	}
	return s, nil
}

func run(ctx context.Context, s *settings, out io.Writer) (err error) {
	keys, err := readKeys(s.keys)
	if err != nil {
		return fmt.Errorf("-keys: %w", err)
	}
	secured := insecure.NewCredentials()
	if s.certificate != "" {
		if secured, err = credentials.NewServerTLSFromFile(s.certificate, s.key); err != nil {
			return fmt.Errorf("-tls-cert, -tls-key: %w", err)
		}
	}
	g := newGateway(s.shape, s.seed, keys)
	for _, one := range s.faults {
		g.faults.add(one)
	}
	if s.log != "" {
		file, failed := os.Create(s.log)
		if failed != nil {
			return fmt.Errorf("-log: %w", failed)
		}
		g.recorder.log = bufio.NewWriter(file)
		fmt.Fprintln(g.recorder.log, logHeader)
		defer func() { err = errors.Join(err, g.recorder.flush(), file.Close()) }()
	}
	listener, err := net.Listen("tcp", s.listen)
	if err != nil {
		return fmt.Errorf("-listen: %w", err)
	}
	port, err := net.Listen("tcp", s.control)
	if err != nil {
		return errors.Join(fmt.Errorf("-control: %w", err), listener.Close())
	}
	control := &http.Server{Handler: g.control(listener.Addr().String()), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = control.Serve(port) }()
	defer func() { _ = control.Close() }()
	log.Printf("this is an %s, seed %d", g.backend, s.seed)
	log.Printf("listening at %s, control port at http://%s", listener.Addr(), port.Addr())

	server := g.server(secured)
	stopped := context.AfterFunc(ctx, server.Stop)
	defer stopped()
	if err := server.Serve(listener); err != nil && ctx.Err() == nil {
		return err
	}
	printJSON(out, g.recorder.summary())
	return nil
}

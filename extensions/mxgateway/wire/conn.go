package wire

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
)

// Options describe a gateway and how to connect to it.
type Options struct {
	Address        string // host:port
	Key            string // mxgw_<keyId>_<secret>; "": none
	TLS            *tls.Config
	ConnectTimeout time.Duration
	Dial           func(ctx context.Context, network, address string) (net.Conn, error)
}

// Conn is a connection to a gateway. The first call connects; the next call after a failure
// connects again. It is safe for concurrent use.
type Conn struct {
	grpc           *grpc.ClientConn
	address, key   string
	connectTimeout time.Duration
	received, sent atomic.Uint64
}

// Reconnecting starts after firstRetry and slows down to once per longestRetry.
const (
	firstRetry   = 100 * time.Millisecond
	longestRetry = time.Second
)

// Open returns a connection without connecting. It returns an error if an option is invalid.
func Open(o Options) (*Conn, error) {
	c := &Conn{address: o.Address, key: o.Key, connectTimeout: o.ConnectTimeout}
	secured := insecure.NewCredentials()
	if o.TLS != nil {
		secured = credentials.NewTLS(o.TLS)
	}
	conn, err := grpc.NewClient("passthrough:///"+o.Address,
		grpc.WithTransportCredentials(secured),
		grpc.WithContextDialer(func(ctx context.Context, address string) (_ net.Conn, err error) {
			defer crash.Catch(&err)
			conn, err := o.Dial(ctx, "tcp", address)
			if err != nil {
				return nil, err
			}

			return &countedConn{Conn: conn, of: c}, nil
		}),
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: firstRetry, Multiplier: 1.6, Jitter: 0.2, MaxDelay: longestRetry},
			MinConnectTimeout: o.ConnectTimeout,
		}),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(), grpc.WithDisableHealthCheck(), grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0),
	)
	if err != nil {
		return nil, Errorf(KindUsage, "%s", oneLine(err.Error(), o.Key))
	}
	c.grpc = conn

	return c, nil
}

// probe is a method without effect. Connect calls it to make gRPC connect.
const probe = "/grpc.health.v1.Health/Check"

// Connect connects if there is no connection. The error has kind connect, or is the
// context's.
func (c *Conn) Connect(ctx context.Context) error {
	opening, stop := context.WithTimeout(ctx, c.connectTimeout)
	defer stop()
	for {
		state := c.grpc.GetState()
		switch state { //nolint:exhaustive // in other states gRPC is still connecting
		case connectivity.Ready:
			return nil
		case connectivity.Idle:
			c.grpc.Connect()
		case connectivity.TransientFailure:
			if err := c.connectError(opening); err != nil || ctx.Err() == nil {
				return err
			}
		}
		switch {
		case c.grpc.WaitForStateChange(opening, state):
		case ctx.Err() != nil:
			return failed(status.FromContextError(ctx.Err()).Err(), c.key, false)
		default:
			return Errorf(KindConnect, "cannot connect to %s: no answer within connectTimeout (%s)", c.address, c.connectTimeout)
		}
	}
}

// connectError is needed because gRPC reports the reason only to calls.
func (c *Conn) connectError(ctx context.Context) error {
	err := c.grpc.Invoke(ctx, probe, &request{}, &anyReply{}, grpc.ForceCodecV2(codec{}))
	if status.Code(err) != codes.Unavailable {
		return nil
	}

	return Errorf(KindConnect, "cannot connect to %s: %s", c.address, oneLine(status.Convert(err).Message(), c.key))
}

type anyReply struct{}

func (anyReply) read([]byte) error { return nil }

// Close closes the connection. Calls in progress fail.
func (c *Conn) Close() { _ = c.grpc.Close() }

// Traffic returns the bytes received and sent since its last call.
func (c *Conn) Traffic() (received, sent uint64) { return c.received.Swap(0), c.sent.Swap(0) }

func (c *Conn) authorized(ctx context.Context) context.Context {
	if c.key == "" {
		return ctx
	}

	return metadata.NewOutgoingContext(ctx, metadata.Pairs("authorization", "Bearer "+c.key))
}

// The context comes from authorized.
func (c *Conn) invoke(ctx context.Context, method string, in *request, out reply) error {
	checked := &checkedReply{reply: out}
	var a answer
	err := c.grpc.Invoke(ctx, method, in, checked,
		grpc.ForceCodecV2(codec{}), grpc.StaticMethod(), grpc.Header(&a.header), grpc.Trailer(&a.trailer))
	switch {
	case err == nil:
		return nil
	case checked.err != nil:
		return Errorf(KindProtocol, "%s", oneLine(checked.err.Error(), c.key))
	default:
		return failed(err, c.key, a.came())
	}
}

type answer struct{ header, trailer metadata.MD }

// came reports whether the server has answered: then one of them has the content type.
func (a *answer) came() bool { return len(a.header)+len(a.trailer) > 0 }

// checkedReply keeps the error of reading a reply, which gRPC would reduce to text.
type checkedReply struct {
	reply
	err error
}

func (r *checkedReply) read(bytes []byte) error {
	r.err = r.reply.read(bytes)

	return r.err
}

type countedConn struct {
	net.Conn
	of *Conn
}

func (c *countedConn) Read(into []byte) (int, error) {
	n, err := c.Conn.Read(into)
	c.of.received.Add(uint64(n))

	return n, err
}

// Write counts before it writes, since the answer may arrive before Write returns. Bytes of a
// connection that breaks count as sent.
func (c *countedConn) Write(from []byte) (int, error) {
	c.of.sent.Add(uint64(len(from)))

	return c.Conn.Write(from)
}

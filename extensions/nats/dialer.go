package nats

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	natsio "github.com/nats-io/nats.go"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/crash"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/netutil"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/wire"
)

type dialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// dialer does the TLS handshake, so that the limits apply to decrypted data.
type dialer struct {
	life   context.Context //nolint:containedctx // lives as long as the connection
	dial   dialFunc
	into   *connection
	within time.Duration // limit for a write
	reach  time.Duration // limit for dialling
	hello  time.Duration

	tls    *tls.Config
	secure bool
	first  bool
	socket bool
	given  []string

	mu   sync.Mutex
	conn net.Conn
	err  error
	// name is the host name that was dialled last. Certificates of servers known only by address
	// must have it, as in nats.go.
	name string
}

func (d *dialer) secured(cfg *Config) (servers []string, err error) {
	d.tls.InsecureSkipVerify = d.tls.InsecureSkipVerify || cfg.Unsafe
	d.secure = cfg.TLS != nil
	d.first = cfg.TLS != nil && cfg.TLS.First
	for _, server := range cfg.Servers {
		u, err := url.Parse(server)
		if err != nil {
			return nil, errURL
		}
		d.given = append(d.given, u.Host)
		d.secure = d.secure || u.Scheme == "tls" || u.Scheme == "wss"
		d.socket = d.socket || strings.HasPrefix(u.Scheme, "ws")
		if u.Scheme == "wss" {
			u.Scheme = "ws"
		}
		servers = append(servers, u.String())
	}

	return servers, nil
}

// SkipTLSHandshake reports that Dial does the handshake.
func (d *dialer) SkipTLSHandshake() bool { return true }

// Dial implements natsio.CustomDialer.
func (d *dialer) Dial(network, address string) (_ net.Conn, err error) {
	defer crash.Catch(&err)
	raw, err := d.open(network, address)
	var conn net.Conn
	if err == nil {
		conn, err = d.greet(raw, address)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err

	return conn, err
}

func (d *dialer) open(network, address string) (*countedConn, error) {
	ctx, cancel := context.WithTimeout(d.life, d.reach)
	defer cancel()
	conn, err := d.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.conn = conn
	if d.life.Err() != nil {
		_ = conn.Close()
	}

	return &countedConn{Conn: netutil.RawConn(conn), into: d.into, within: d.within}, nil
}

// greet closes the connection if that fails or takes too long.
func (d *dialer) greet(raw *countedConn, address string) (net.Conn, error) {
	defer context.AfterFunc(d.life, func() { _ = raw.Close() })()
	err := raw.SetDeadline(time.Now().Add(d.hello))
	if err == nil {
		var conn net.Conn
		if conn, err = d.secureAndLimit(raw, address); err == nil {
			return conn, raw.SetDeadline(time.Time{})
		}
	}
	_ = raw.Close()

	return nil, err
}

func (d *dialer) secureAndLimit(conn *countedConn, address string) (net.Conn, error) {
	d.into.bare.Store(nil)
	bounded := &boundedConn{Conn: conn, into: d.into, bounds: new(wire.Bounds)}
	secure := d.secure
	switch {
	case d.socket:
		bounded.bounds = new(wire.Socket)
	case !d.first:
		said, err := readLine(conn)
		if err != nil {
			return nil, err
		}
		line, _, _ := bytes.Cut(said, []byte("\n"))
		if secure = d.wantsTLS(line); secure {
			said = said[:min(len(line)+1, len(said))] // earlier bytes could come from anyone
		}
		bounded.said, conn.early = said, said
	}
	if !secure {
		if !d.socket {
			d.into.bare.Store(conn)
		}

		return bounded, nil
	}
	var err error
	bounded.Conn, err = d.handshake(conn, address)

	return bounded, err
}

func (d *dialer) wantsTLS(line []byte) bool {
	var info struct {
		Required  bool `json:"tls_required"`
		Available bool `json:"tls_available"`
	}
	if at := bytes.IndexByte(line, '{'); at >= 0 {
		_ = json.Unmarshal(line[at:], &info) // nats.go reports invalid JSON
	}

	return info.Required || d.secure && info.Available
}

// readLine may read more than the line.
func readLine(conn net.Conn) (said []byte, err error) {
	buffer := make([]byte, 4<<10)
	for len(said) <= wire.MaxLine {
		n, err := conn.Read(buffer)
		said = append(said, buffer[:n]...)
		if bytes.IndexByte(buffer[:n], '\n') >= 0 {
			break
		}
		if err != nil {
			return nil, err
		}
	}

	return said, nil
}

func (d *dialer) handshake(conn net.Conn, address string) (net.Conn, error) {
	cfg := d.tls
	if cfg.ServerName == "" {
		cfg = cfg.Clone()
		cfg.ServerName = d.serverName(address)
	}
	secured := tls.Client(conn, cfg)
	if err := secured.HandshakeContext(d.life); err != nil {
		return nil, fmt.Errorf("%w: %w", natsio.ErrTLS, err)
	}

	return secured, nil
}

func (d *dialer) serverName(address string) string {
	host, _, _ := net.SplitHostPort(address)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case net.ParseIP(host) == nil:
		d.name = host
	case d.name != "" && !slices.Contains(d.given, address):
		return d.name
	}

	return host
}

func (d *dialer) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		_ = d.conn.Close()
	}
}

// countedConn counts bytes, and closes itself if a write takes too long.
type countedConn struct {
	net.Conn

	into   *connection
	within time.Duration
	mu     sync.Mutex
	writes netutil.Deadline
	reads  sync.Mutex
	// early holds what the server sent before nats.go reads; last the reason with which it closed
	// the connection, or nil.
	early []byte
	last  error
}

// Read implements net.Conn.
func (c *countedConn) Read(b []byte) (int, error) {
	c.reads.Lock()
	n, err := c.Conn.Read(b)
	c.reads.Unlock()
	c.into.in.Add(uint64(n))

	return n, err
}

// SetDeadline implements net.Conn.
func (c *countedConn) SetDeadline(t time.Time) error {
	c.writes.Forget()

	return c.Conn.SetDeadline(t)
}

// Write implements net.Conn. nats.go sets no deadline for writes in a publisher's goroutine, which
// hold a lock. An error may cut a message, so the connection closes, and nats.go connects again.
func (c *countedConn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.writes.Arm(c.within, c.SetWriteDeadline); err != nil {
		return 0, err
	}
	n, err := c.Conn.Write(b)
	c.into.out.Add(uint64(n))
	if err != nil {
		c.last = c.closeReason()
		_ = c.Close()
	}

	return n, err
}

// closeReason returns nil if nats.go is reading, which then gets the reason itself.
func (c *countedConn) closeReason() error {
	if !c.reads.TryLock() {
		return nil
	}
	defer c.reads.Unlock()
	said := c.early
	if c.SetReadDeadline(time.Now().Add(time.Second)) == nil {
		late, _ := readLine(c.Conn)
		said = slices.Concat(said, late)
	}
	for line := range bytes.Lines(said) {
		if text, is := bytes.CutPrefix(line, []byte("-ERR ")); is {
			return wire.Complaint(bytes.TrimSpace(text))
		}
	}

	return nil
}

type boundedConn struct {
	net.Conn

	into   *connection
	bounds interface {
		Check(said []byte) (passed int, err error)
	}
	said []byte
}

// Read ends the connection at an announced size above the limit.
func (c *boundedConn) Read(b []byte) (n int, err error) {
	defer crash.Catch(&err)
	if len(c.said) > 0 {
		n = copy(b, c.said)
		c.said = c.said[n:]
	} else {
		n, err = c.Conn.Read(b)
	}
	passed, wrong := c.bounds.Check(b[:n])
	if wrong != nil {
		_ = c.Close()
		e := k6x.Errorf(k6x.KindProtocol, "the connection is closed: %s", wrong)
		c.into.lie.Store(e)

		return passed, e
	}

	return n, err
}

package httpapi

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/cmi"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase/internal/official"
)

// DefaultPort is the port of machbase-neo's HTTP API.
const DefaultPort = 5654

// Config is how to reach a server.
type Config struct {
	// Address is host:port.
	Address string
	// User and Password are tried at the server's login; without a password, they are not.
	User, Password string
	// Token is what a server asks for that is set to want one; "" for none.
	Token string
	// TLS is for https; nil for http.
	TLS *tls.Config
	// Dial opens a network connection.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Conn is a client with a network connection of its own, which it opens anew when the server has
// closed it between two requests. One goroutine uses it at a time.
type Conn struct {
	config    Config
	transport *http.Transport
	client    *http.Client
	base      string

	received, sent atomic.Uint64
}

// probe is what connecting asks: any server answers it at once.
const probe = "select count(*) from v$version"

// Connect opens the connection, checks user and password where there is a password, and asks the
// server for one row.
func Connect(ctx context.Context, config Config) (*Conn, error) {
	c := &Conn{config: config, base: "http://" + config.Address}
	if config.TLS != nil {
		c.base = "https://" + config.Address
	}
	c.transport = &http.Transport{
		DialContext: c.dial, TLSClientConfig: config.TLS, DisableCompression: true,
		MaxIdleConns: 1, MaxIdleConnsPerHost: 1, MaxConnsPerHost: 1, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
	c.client = &http.Client{
		Transport:     c.transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	err := c.greet(ctx)
	if err == nil {
		return c, nil
	}
	c.Close()
	if _, known := errors.AsType[*cmi.Error](err); !known {
		err = cmi.NewError(cmi.KindConnect, "cannot connect to %s: %s", config.Address, oneLine(err.Error()))
	}

	return nil, err
}

func (c *Conn) greet(ctx context.Context) error {
	if c.config.Password != "" {
		if err := c.login(ctx); err != nil {
			return err
		}
	}
	rows, err := c.Query(ctx, probe, nil)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() { // what counts is that there is an answer
	}

	return rows.Err()
}

// login checks user and password. The requests that follow do without: the API knows no users. A
// server without a web interface has no login.
func (c *Conn) login(ctx context.Context) error {
	body, err := json.Marshal(map[string]string{"loginName": strings.ToLower(c.config.User), "password": c.config.Password})
	if err != nil {
		return err
	}
	response, err := c.post(ctx, "/web/api/login", "application/json", body) //nolint:bodyclose // discard closes it
	if err != nil {
		return err
	}
	defer discard(response.Body)
	raw, err := io.ReadAll(io.LimitReader(response.Body, maxRefusal))
	if err != nil {
		return err
	}
	var answer said
	isAnswer := json.Unmarshal(raw, &answer) == nil && (answer.Success || answer.Reason != "")
	switch code := response.StatusCode; {
	case code >= http.StatusInternalServerError:
		return refused(code, raw)
	case isAnswer && !answer.Success, code == http.StatusUnauthorized, code == http.StatusForbidden:
		return cmi.NewError(cmi.KindAuth, "the server does not take the user %q with this password", c.config.User)
	}

	return nil
}

// Query runs a statement and returns its rows, which the caller must close.
func (c *Conn) Query(ctx context.Context, sql string, args []any) (*Rows, error) {
	sql, err := withLiterals(sql, args)
	if err != nil {
		return nil, err
	}
	form := []byte("q=" + url.QueryEscape(sql))
	response, err := c.post(ctx, "/db/query", "application/x-www-form-urlencoded", form) //nolint:bodyclose // its rows close it
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		defer discard(response.Body)

		return nil, refusal(response)
	}
	rows := newRows(response.Body)
	if rows.err != nil {
		rows.Close()

		return nil, rows.err
	}

	return rows, nil
}

// Exec runs a statement and tells how many rows it changed.
func (c *Conn) Exec(ctx context.Context, sql string, args []any) (int64, error) {
	rows, err := c.Query(ctx, sql, args)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for rows.Next() { // an error may come after the rows
	}

	return changed(rows.reason), rows.Err()
}

// Traffic is the number of bytes received and sent so far.
func (c *Conn) Traffic() (received, sent uint64) { return c.received.Load(), c.sent.Load() }

// Close closes the connection.
func (c *Conn) Close() { c.transport.CloseIdleConnections() }

// post sends a request. An error is that of the connection.
func (c *Conn) post(ctx context.Context, path, contentType string, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", contentType)
	if c.config.Token != "" {
		request.Header.Set("Authorization", "Bearer "+c.config.Token)
	}
	response, err := c.client.Do(request)
	if err == nil {
		return response, nil
	}
	if failed, is := errors.AsType[*url.Error](err); is { // its text has the whole address before the reason
		err = failed.Err
	}
	if failed, is := errors.AsType[*net.OpError](err); is && failed.Op == "dial" {
		return nil, cmi.NewError(cmi.KindConnect, "cannot connect to %s: %s", c.config.Address, official.ConnectReason(err.Error()))
	}
	if strings.Contains(err.Error(), "malformed HTTP") {
		return nil, garbage("it is not HTTP; is %s the port of machbase-neo's HTTP API, which is %d by default?", c.config.Address, DefaultPort)
	}

	return nil, err
}

func (c *Conn) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.config.Dial(ctx, network, address)
	if err != nil {
		var failed *net.OpError
		if !errors.As(err, &failed) {
			err = &net.OpError{Op: "dial", Net: network, Err: err}
		}

		return nil, err
	}

	return &counted{conn, c}, nil
}

// counted counts what goes over a network connection.
type counted struct {
	net.Conn

	of *Conn
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.of.received.Add(uint64(n))

	return n, err
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.of.sent.Add(uint64(n))

	return n, err
}

// maxRest is how much of an answer is read only to keep its connection.
const maxRest = 256 << 10

func discard(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxRest)
	_ = body.Close()
}

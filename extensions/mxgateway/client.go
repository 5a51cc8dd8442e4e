package mxgateway

import (
	"context"
	"crypto/tls"
	"sync"
	"time"

	"github.com/grafana/sobek"
	"go.k6.io/k6/v2/js/modules"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/mxgateway/wire"
)

// client is the JavaScript object Client: one session at a time, over its own connection or a
// shared one.
type client struct {
	*module

	config *Config
	tasks  *k6x.Tasks

	// The VU may end in another goroutine during a call.
	mu      sync.Mutex
	schema  *wire.Schema
	conn    *wire.Conn
	session *wire.Session
	tags    []string
	handles []int64
}

func (m *module) newClient(call sobek.ConstructorCall) *sobek.Object {
	var o options
	c := &client{module: m, config: k6x.ParseClient(m.Module, call, &o, o.config), tasks: m.NewTasks(true)}
	if c.config.Proto != "" {
		var err error
		if c.schema, err = m.load(c.config); err != nil {
			m.Misuse("new Client: %s", err)
		}
	}
	methods.Put(m.Runtime(), call.This, c)

	return nil
}

var methods = k6x.BothForms(map[string]operation{ //nolint:gochecknoglobals // a table
	"connect":     (*client).connect,
	"open":        (*client).open,
	"register":    (*client).register,
	"subscribe":   (*client).subscribe,
	"readBulk":    (*client).readBulk,
	"unsubscribe": (*client).unsubscribe,
	"close":       (*client).close,
}).With(k6x.Methods[*client]{
	"connect": k6x.InTurn(k6x.Blocking((*client).connect)),
	"run":     (*client).run,
})

// Tasks implements k6x.Tasker.
func (c *client) Tasks() *k6x.Tasks { return c.tasks }

// The caller holds c.mu.
func (c *client) connected(ctx context.Context) (*wire.Conn, error) {
	if err := c.dial(); err != nil {
		return nil, err
	}
	if c.schema == nil {
		schema, err := c.reflect(ctx, c.conn, c.config)
		if err != nil {
			return nil, err
		}
		c.schema = schema
	}

	return c.conn, nil
}

func (c *client) dial() (err error) {
	if c.conn != nil {
		return nil
	}
	open := func() (*wire.Conn, error) { return wire.Open(c.config.wire(c.VU())) }
	if c.config.Shared {
		c.conn, err = c.conns.Join(c.config.target, open)
	} else {
		c.conn, err = open()
	}
	if err != nil {
		c.conn = nil

		return err
	}
	c.Closing().Add(c, c.disconnect)

	return nil
}

func (c *Config) wire(vu modules.VU) wire.Options {
	o := wire.Options{Address: c.Address, Key: c.Key, ConnectTimeout: c.ConnectTimeout, Dial: k6x.Dial(vu)}
	if c.TLS != nil {
		o.TLS = c.TLS.Config(vu, c.Address, tls.VersionTLS12)
	}

	return o
}

const closeTimeout = time.Second

// Any goroutine may call it.
func (c *client) disconnect() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != nil {
		ctx, stop := context.WithTimeout(context.Background(), closeTimeout)
		_ = c.session.Close(ctx)
		stop()
		c.forget()
	}
	c.closeConn()
}

// The caller holds c.mu.
func (c *client) closeConn() {
	switch {
	case c.conn == nil:
		return
	case c.config.Shared:
		c.conns.Leave(c.config.target, (*wire.Conn).Close)
	default:
		c.conn.Close()
	}
	c.conn = nil
	c.Closing().Remove(c)
}

func (c *client) forget() { c.session, c.tags, c.handles = nil, nil, nil }

// The caller holds c.mu.
func (c *client) opened() (*wire.Session, error) {
	if c.session == nil {
		return nil, k6x.Misuse("there is no session: call open() first")
	}

	return c.session, nil
}

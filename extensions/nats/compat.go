package nats

import (
	"errors"
	"math"
	"strconv"

	"github.com/grafana/sobek"
	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
)

// natsClient is the JavaScript object Nats: a Client with the method names of ydarias/xk6-nats, for
// scripts that were written for it.
type natsClient struct {
	*client

	stream *jetStreamHandle
}

type natsOptions struct {
	options

	Servers []string `json:"servers"`
	Unsafe  bool     `json:"unsafe"`
}

func (o *natsOptions) config(urls []string) (*Config, error) {
	if len(urls) > 0 && len(o.Servers) > 0 {
		return nil, errors.New("the servers are given twice: as the url and as option servers")
	}
	if len(urls) == 0 {
		urls = o.Servers
	}
	c, err := o.options.config(urls)
	if err == nil {
		c.Unsafe = o.Unsafe
	}

	return c, err
}

func (m *module) newNats(call sobek.ConstructorCall) *sobek.Object {
	o := natsOptions{options: m.defaults()}
	c := m.clientOf(k6x.ParseClient(m.Module, call, &o, o.config))
	methods.Put(m.Runtime(), call.This, c)
	natsMethods.Put(m.Runtime(), call.This, &natsClient{c, newJetStream(c)})

	return nil
}

var natsMethods = k6x.Methods[*natsClient]{ //nolint:gochecknoglobals // a table
	"publishWithHeaders":          sends("publishWithHeaders", (*args).withHeaders, (*natsClient).sendCore),
	"publishMsg":                  sends("publishMsg", (*args).wholeMessage, (*natsClient).sendCore),
	"jetStreamPublish":            sends("jetStreamPublish", (*args).withHeaders, (*natsClient).sendStream),
	"jetStreamPublishWithHeaders": sends("jetStreamPublishWithHeaders", (*args).withHeaders, (*natsClient).sendStream),
	"jetStreamPublishMsg":         sends("jetStreamPublishMsg", (*args).wholeMessage, (*natsClient).sendStream),
	"jetStreamSetup":              (*natsClient).jetStreamSetup,
	"jetStreamSubscribe":          (*natsClient).jetStreamSubscribe,
}

func sends(method string, read func(*args) *natsio.Msg, send func(*natsClient, *natsio.Msg) sobek.Value) k6x.Method[*natsClient] {
	return func(c *natsClient, call sobek.FunctionCall) sobek.Value {
		a := c.args(method, call)
		m := read(&a)
		a.must()

		return send(c, m)
	}
}

func (c *natsClient) sendCore(m *natsio.Msg) sobek.Value {
	c.publishOne(m.Subject, m.Data, &messageOptions{header: m.Header})

	return sobek.Undefined()
}

func (c *natsClient) sendStream(m *natsio.Msg) sobek.Value {
	t := &task{args: args{client: c.client}, operation: "js.publish"}
	m.Header = c.stamped(m.Header)
	c.stream.publishes(t, m, &c.usual)

	return c.tasks.Now(t)
}

func (a *args) withHeaders() *natsio.Msg {
	return &natsio.Msg{Subject: a.subject(), Data: a.owned(), Header: read(a, "the headers", headersOrNone)}
}

func headersOrNone(method, what string, value sobek.Value) (natsio.Header, error) {
	if k6x.IsNullish(value) {
		return natsio.Header(nil), nil
	}

	return headers(method, what, value)
}

// wholeMessage reads { topic, data, raw, headers }. data takes precedence over raw, which may be an
// array of numbers.
func (a *args) wholeMessage() *natsio.Msg {
	object, ok := a.next().(*sobek.Object)
	if !ok {
		a.client.Misuse("%s: the message must be an object such as { topic: 'a', data: 'b' }, not %s", a.method, k6x.Show(a.call.Argument(0)))
	}
	parts := *a
	parts.at = 0
	parts.call.Arguments = []sobek.Value{object.Get("topic"), object.Get("data"), object.Get("raw"), object.Get("headers")}
	for i, part := range parts.call.Arguments {
		if part == nil {
			parts.call.Arguments[i] = sobek.Undefined()
		}
	}
	m := &natsio.Msg{Subject: read(&parts, "the topic", destination), Data: parts.owned()}
	if raw := read(&parts, "raw", a.client.bytesOrNumbers); m.Data == nil {
		m.Data = raw
	}
	m.Header = read(&parts, "the headers", headersOrNone)
	a.err = parts.err

	return m
}

func (c *client) bytesOrNumbers(method, what string, value sobek.Value) ([]byte, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Array" {
		return c.owned(method, value)
	}
	values, err := k6x.Elements(method, what, value)
	data := make([]byte, len(values))
	for i, v := range values {
		n, ok := k6x.UnsignedOf(v)
		if !ok || n > math.MaxUint8 {
			return nil, k6x.Wrong(method, "byte "+strconv.Itoa(i)+" of raw", "an integer from 0 to 255", v)
		}
		data[i] = byte(n)
	}

	return data, err
}

func (c *natsClient) jetStreamSetup(call sobek.FunctionCall) sobek.Value {
	k6x.Blocking(called("js.", "ensureStream", changeStream(jetstream.JetStream.CreateOrUpdateStream)))(c.stream, call)

	return sobek.Undefined()
}

func (c *natsClient) jetStreamSubscribe(call sobek.FunctionCall) sobek.Value {
	a := c.args("jetStreamSubscribe", call)
	subject := read(&a, "the subject", k6x.Name)
	if callback := a.next(); a.err == nil {
		if _, ok := sobek.AssertFunction(callback); !ok {
			a.client.Misuse("jetStreamSubscribe takes a function second, not %s", k6x.Show(callback))
		}
	}
	a.must()

	return c.stream.orderedForSubject(subject).consume(sobek.FunctionCall{Arguments: call.Arguments[1:]})
}

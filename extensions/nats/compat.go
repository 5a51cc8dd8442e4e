package nats

import (
	"errors"
	"math"
	"strconv"

	"github.com/grafana/sobek"
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
	o := natsOptions{options: options{open: m.read}}
	c := m.clientOf(k6x.ParseClient(m.Module, call, &o, o.config))
	methods.Put(m.Runtime(), call.This, c)
	natsMethods.Put(m.Runtime(), call.This, &natsClient{c, &jetStreamHandle{client: c}})

	return nil
}

var natsMethods = k6x.Methods[*natsClient]{ //nolint:gochecknoglobals // a table
	"publishWithHeaders":          (*natsClient).publishWithHeaders,
	"publishMsg":                  (*natsClient).publishMsg,
	"jetStreamSetup":              (*natsClient).jetStreamSetup,
	"jetStreamPublish":            (*natsClient).jetStreamPublish,
	"jetStreamPublishWithHeaders": (*natsClient).jetStreamPublishWithHeaders,
	"jetStreamPublishMsg":         (*natsClient).jetStreamPublishMsg,
	"jetStreamSubscribe":          (*natsClient).jetStreamSubscribe,
}

func (c *natsClient) publishWithHeaders(call sobek.FunctionCall) sobek.Value {
	subject, data, o := c.withHeaders("publishWithHeaders", call)
	c.publish.send(c.client, subject, data, o)

	return sobek.Undefined()
}

func (c *client) withHeaders(method string, call sobek.FunctionCall) (subject string, data []byte, o *publishOptions) {
	subject, err := destination(method, "the subject", call.Argument(0))
	if err == nil {
		data, err = c.data(method, call.Argument(1))
	}
	o = &publishOptions{}
	if err == nil && !k6x.IsNullish(call.Argument(2)) {
		o.header, err = headers(method, "the headers", call.Argument(2))
	}
	if err != nil {
		c.Throw(err)
	}

	return subject, data, o
}

func (c *natsClient) publishMsg(call sobek.FunctionCall) sobek.Value {
	subject, data, o := c.wholeMessage("publishMsg", call.Argument(0))
	c.publish.send(c.client, subject, data, o)

	return sobek.Undefined()
}

// wholeMessage reads { topic, data, raw, headers }. data takes precedence over raw, which may be an
// array of numbers.
func (c *client) wholeMessage(method string, value sobek.Value) (subject string, data []byte, o *publishOptions) {
	object, ok := value.(*sobek.Object)
	if !ok {
		c.Misuse("%s: the message must be an object such as { topic: 'a', data: 'b' }, not %s", method, k6x.Show(value))
	}
	get := func(name string) sobek.Value {
		if v := object.Get(name); v != nil {
			return v
		}

		return sobek.Undefined()
	}
	subject, err := destination(method, "the topic", get("topic"))
	if err == nil {
		if given := get("data"); !k6x.IsNullish(given) {
			data, err = c.data(method, given)
		} else {
			data, err = c.bytesOrNumbers(method, get("raw"))
		}
	}
	o = &publishOptions{}
	if given := get("headers"); err == nil && !k6x.IsNullish(given) {
		o.header, err = headers(method, "the headers", given)
	}
	if err != nil {
		c.Throw(err)
	}

	return subject, data, o
}

func (c *client) bytesOrNumbers(method string, value sobek.Value) ([]byte, error) {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Array" {
		return c.data(method, value)
	}
	values, err := k6x.Elements(method, "raw", value)
	if err != nil {
		return nil, err
	}
	data := make([]byte, len(values))
	for i, v := range values {
		n, ok := k6x.UnsignedOf(v)
		if !ok || n > math.MaxUint8 {
			return nil, k6x.Wrong(method, "byte "+strconv.Itoa(i)+" of raw", "an integer from 0 to 255", v)
		}
		data[i] = byte(n)
	}

	return data, nil
}

func (c *natsClient) jetStreamSetup(call sobek.FunctionCall) sobek.Value {
	k6x.Blocking(changeStream("ensureStream", jetstream.JetStream.CreateOrUpdateStream))(c.stream, call)

	return sobek.Undefined()
}

func (c *natsClient) jetStreamPublish(call sobek.FunctionCall) sobek.Value {
	m, err := c.outgoing("jetStreamPublish", call)
	if err != nil {
		c.Throw(err)
	}
	m.Header = c.stamped(nil)

	return c.tasks.Now(c.stream.publication(m, &streamPublishOptions{}))
}

func (c *natsClient) jetStreamPublishWithHeaders(call sobek.FunctionCall) sobek.Value {
	subject, data, o := c.withHeaders("jetStreamPublishWithHeaders", call)

	return c.tasks.Now(c.stream.publication(c.outgoingOf(subject, data, o), &streamPublishOptions{}))
}

func (c *natsClient) jetStreamPublishMsg(call sobek.FunctionCall) sobek.Value {
	subject, data, o := c.wholeMessage("jetStreamPublishMsg", call.Argument(0))

	return c.tasks.Now(c.stream.publication(c.outgoingOf(subject, data, o), &streamPublishOptions{}))
}

func (c *natsClient) jetStreamSubscribe(call sobek.FunctionCall) sobek.Value {
	subject, err := k6x.Name("jetStreamSubscribe", "the subject", call.Argument(0))
	if err != nil {
		c.Throw(err)
	}
	if _, ok := sobek.AssertFunction(call.Argument(1)); !ok {
		c.Misuse("jetStreamSubscribe takes a function second, not %s", k6x.Show(call.Argument(1)))
	}

	return c.stream.orderedForSubject(subject).consume(sobek.FunctionCall{Arguments: []sobek.Value{call.Argument(1)}})
}

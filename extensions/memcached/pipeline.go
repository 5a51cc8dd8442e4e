package memcached

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// batch holds one call's commands for one server.
type batch struct {
	entries  []entry
	requests []wire.Request
	replies  []wire.Reply
	keys     [][]byte
}

func (b *batch) clear() {
	b.entries, b.requests, b.replies, b.keys = b.entries[:0], b.requests[:0], b.replies[:0], b.keys[:0]
}

func (b *batch) add(command *command) (*entry, *wire.Request) {
	n := len(b.requests)
	b.entries, b.requests, b.replies = grown(b.entries), grown(b.requests), grown(b.replies)
	e, q := &b.entries[n], &b.requests[n]
	*e = entry{command: command, value: e.value}
	*q = wire.Request{Key: q.Key, Meta: q.Meta[:0]}

	return e, q
}

// grown extends s by one element and keeps the old contents of that element, if there are any.
func grown[T any](s []T) []T {
	if len(s) < cap(s) {
		return s[:len(s)+1]
	}
	var none T

	return append(s, none)
}

func (b *batch) move(to *batch) {
	n := len(b.requests) - 1
	_, _ = to.add(b.entries[n].command)
	last := len(to.requests) - 1
	b.entries[n], to.entries[last] = to.entries[last], b.entries[n]
	b.requests[n], to.requests[last] = to.requests[last], b.requests[n]
	b.entries, b.requests, b.replies = b.entries[:n], b.requests[:n], b.replies[:n]
}

func (c *client) clearAll() {
	for i := range c.batches {
		c.batches[i].clear()
	}
}

// list returns arguments as a call would have them.
func list(values ...sobek.Value) arguments {
	return func(i int) sobek.Value {
		if i < len(values) {
			return values[i]
		}

		return sobek.Undefined()
	}
}

func (c *client) enqueue(command *command, position int, args arguments) {
	first := &c.batches[0]
	e, q := first.add(command)
	c.check(c.read(e, q, args))
	e.position = position
	if server := c.server(q.Key); server != 0 {
		first.move(&c.batches[server])
	}
}

func (c *client) pipeline(call sobek.FunctionCall) sobek.Value {
	c.begin()
	defer c.end()
	rows := c.elements("pipeline", "commands", call.Argument(0))
	defer c.tagged("pipeline", call.Argument(1))()
	c.clearAll()
	for position, row := range rows {
		words := c.elements("pipeline", "each command", row)
		if len(words) == 0 {
			c.Misuse("pipeline: command %d is empty", position)
		}
		command := commands[words[0].String()]
		if command == nil {
			c.Misuse("pipeline: command %d is %q, which is not a command; use the methods that take a key", position, words[0].String())
		}
		c.enqueue(command, position, list(words[1:]...))
	}

	return c.Runtime().ToValue(c.runPipeline(len(rows)))
}

func (c *client) runBatches() {
	for server := range c.batches {
		if b := &c.batches[server]; len(b.requests) > 0 {
			c.exchangeAll(server, b.replies, func(conn *wire.Conn) error { return conn.Pipeline(b.requests, b.replies) })
		}
	}
}

func (c *client) countReply(e *entry, q *wire.Request, a *wire.Reply) {
	var h hits
	if a.Err == nil && readsValue(q.Verb) {
		h.of(a.Status)
	}
	if e.tags.Key() != c.tags.Key() {
		c.Tag(e.tags)
		defer c.Tag(c.tags)
	}
	c.Count(e.command.name, a.Err, h.found, h.missed)
}

// runPipeline throws the first error, with all results.
func (c *client) runPipeline(n int) *sobek.Object {
	took := c.timed(c.runBatches)

	results := make([]any, n)
	failed, first := -1, error(nil)
	for server := range c.batches {
		b := &c.batches[server]
		for i := range b.entries {
			e, a := &b.entries[i], &b.replies[i]
			c.countReply(e, &b.requests[i], a)
			if a.Err == nil {
				results[e.position] = e.command.result(c, e, a)
			} else if failed < 0 || e.position < failed {
				failed, first = e.position, a.Err
			}
		}
	}
	c.EmitDuration("pipeline", first, took)
	all := c.Runtime().NewArray(results...)
	if first != nil {
		panic(c.NewError(first, k6x.Property{Name: "index", Value: failed}, k6x.Property{Name: "results", Value: all}))
	}

	return all
}

// Without a connection, all replies get the error.
func (c *client) exchangeAll(server int, replies []wire.Reply, job func(*wire.Conn) error) {
	err := c.exchange(server, func(conn *wire.Conn) error {
		_ = job(conn)

		return nil
	})
	if err == nil {
		return
	}
	for i := range replies {
		replies[i].Err = err
	}
}

func (c *client) getMulti(call sobek.FunctionCall) sobek.Value {
	c.begin()
	defer c.end()
	names := c.elements("getMulti", "the keys", call.Argument(0))
	as := entry{binary: c.config.Binary}
	c.check(asOptions.Read("getMulti", call.Argument(1), &as))
	binary := as.binary
	defer c.tagAll(as.tags)()
	c.clearAll()
	for position, name := range names {
		if _, ok := name.(sobek.String); !ok {
			c.Misuse("getMulti: a key must be a string, not %s", name.String())
		}
		c.enqueue(commands["get"], position, list(name))
	}

	took := c.timed(c.getBatches)

	return c.multiResult(names, binary, took)
}

func (c *client) getBatches() {
	for server := range c.batches {
		b := &c.batches[server]
		for i := range b.requests {
			b.keys = append(b.keys, b.requests[i].Key)
		}
		if len(b.keys) > 0 {
			c.exchangeAll(server, b.replies, func(conn *wire.Conn) error { return conn.GetMulti(b.keys, b.replies) })
		}
	}
}

func (c *client) multiResult(names []sobek.Value, binary bool, took time.Duration) sobek.Value {
	var h hits
	var first error
	results := make([]sobek.Value, len(names))
	for server := range c.batches {
		b := &c.batches[server]
		for i := range b.entries {
			e, a := &b.entries[i], &b.replies[i]
			switch {
			case a.Err != nil && first == nil:
				first = a.Err
			case a.Err == nil:
				h.of(a.Status)
				e.binary = binary
				results[e.position] = theValue(c, e, a)
			}
		}
	}
	c.Count("getMulti", first, h.found, h.missed)
	c.EmitDuration("getMulti", first, took)
	c.check(first)
	object := c.Runtime().NewObject()
	for i, name := range names {
		c.Set(object, name.String(), results[i])
	}

	return object
}

// getOrSet runs a get and a set.
var getOrSet = &command{name: "getOrSet"} //nolint:gochecknoglobals // a constant

func (c *client) getOrSet(call sobek.FunctionCall) sobek.Value {
	key, value := call.Argument(0), call.Argument(2)
	produce, isFunction := sobek.AssertFunction(value)
	if !isFunction && !c.isValue(value) {
		c.Misuse("getOrSet: the value must be a string, an ArrayBuffer or a typed array, or a function that returns one, not %s",
			k6x.Show(value))
	}
	options := entry{}
	c.check(asOptions.Read("getOrSet", call.Argument(3), &options))
	c.check(readStoring(&entry{command: getOrSet}, &wire.Request{}, call.Argument(1)))
	found := c.part(options.tags, commands["get"], list(key, call.Argument(3)))
	if !sobek.IsNull(found) {
		return found
	}
	if isFunction {
		var err error
		if value, err = produce(sobek.Undefined(), key); err != nil {
			panic(err)
		}
	}
	c.part(options.tags, commands["set"], list(key, value, call.Argument(1)))

	return value
}

func (c *client) part(tags k6x.Tags, command *command, args arguments) sobek.Value {
	defer c.tagAll(tags)()

	return c.single(command, args)
}

func (c *client) isValue(value sobek.Value) bool {
	if _, isText := value.(sobek.String); isText {
		return true
	}
	_, ok := k6x.BytesOf(c.Runtime(), value, nil)

	return ok
}

func (c *client) elements(method, what string, value sobek.Value) []sobek.Value {
	elements, err := k6x.Elements(method, what, value)
	c.check(err)

	return elements
}

package memcached

import (
	"bytes"
	"cmp"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

// command is one that has a key: a method of its own, and an element of a pipeline.
type command struct {
	name   string // in a pipeline and in the tag operation
	method string // in client.meta; "" for a method of the client itself
	verb   wire.Verb
	// read reads the arguments behind the key.
	read func(c *client, e *entry, q *wire.Request, args arguments)
	// result is what the reply becomes in JavaScript.
	result func(c *client, e *entry, a *wire.Reply) sobek.Value
}

// entry is a command that is about to be done, or was.
type entry struct {
	command  *command
	position int    // in a pipeline
	value    []byte // memory of a value that was a string
	binary   bool   // its value comes out as an ArrayBuffer
}

// arguments are those of a method, from 0.
type arguments func(i int) sobek.Value

// commands are all commands that have a key.
var commands = commandsByName( //nolint:gochecknoglobals // a table
	&command{name: "get", verb: wire.Get, read: readAs(1), result: theValue},
	&command{name: "gets", verb: wire.Gets, read: readAs(1), result: valueWithCAS},
	&command{name: "gat", verb: wire.Gat, read: readExpireAs, result: theValue},
	&command{name: "gats", verb: wire.Gats, read: readExpireAs, result: valueWithCAS},
	&command{name: "touch", verb: wire.Touch, read: readExpire, result: whetherOK},
	&command{name: "set", verb: wire.Set, read: readStored, result: whetherOK},
	&command{name: "add", verb: wire.Add, read: readStored, result: whetherOK},
	&command{name: "replace", verb: wire.Replace, read: readStored, result: whetherOK},
	&command{name: "append", verb: wire.Append, read: readValue, result: whetherOK},
	&command{name: "prepend", verb: wire.Prepend, read: readValue, result: whetherOK},
	&command{name: "cas", verb: wire.CompareAndSwap, read: readSwapped, result: outcomeOfSwap},
	&command{name: "delete", verb: wire.Delete, read: readNothing, result: whetherOK},
	&command{name: "incr", verb: wire.Increment, read: readDelta, result: theNumber},
	&command{name: "decr", verb: wire.Decrement, read: readDelta, result: theNumber},
	&command{name: "metaGet", method: "get", verb: wire.MetaGet, read: readFlagsAs, result: metaReply},
	&command{name: "metaSet", method: "set", verb: wire.MetaSet, read: readValueAndFlags, result: metaReply},
	&command{name: "metaDelete", method: "delete", verb: wire.MetaDelete, read: readFlagsAs, result: metaReply},
	&command{name: "metaArithmetic", method: "arithmetic", verb: wire.MetaArithmetic, read: readFlagsAs, result: metaReply},
)

func commandsByName(all ...*command) map[string]*command {
	byName := make(map[string]*command, len(all))
	for _, c := range all {
		byName[c.name] = c
	}

	return byName
}

// commandMethods are the methods that do one command: those of the property meta, or those of the client itself.
func commandMethods(meta bool) k6glue.Methods[*client] {
	methods := k6glue.Methods[*client]{}
	for _, command := range commands {
		if isMeta := command.method != ""; isMeta == meta {
			methods[cmp.Or(command.method, command.name)] = func(c *client, call sobek.FunctionCall) sobek.Value {
				return c.single(command, call.Argument)
			}
		}
	}

	return methods
}

// single does one command.
func (c *client) single(command *command, args arguments) sobek.Value {
	c.begin()
	defer c.end()
	b := &c.batches[0]
	b.clear()
	e, q := b.add(command)
	c.read(e, q, args)
	a := &b.replies[0]
	if err := c.do(command.name, c.server(q.Key), q, a); err != nil {
		c.throw(err)
	}

	return command.result(c, e, a)
}

// read reads a command's arguments: the key and what comes behind it.
func (c *client) read(e *entry, q *wire.Request, args arguments) {
	q.Verb = e.command.verb
	e.binary = c.config.Binary
	c.readKey(e.command.name, q, args(0))
	e.command.read(c, e, q, args)
}

func (c *client) readKey(name string, q *wire.Request, value sobek.Value) {
	q.Key = append(q.Key[:0], c.config.Prefix...)
	if text, ok := value.(sobek.String); ok {
		q.Key = append(q.Key, text.String()...)

		return
	}
	key, ok := k6glue.Bytes(c.vu.Runtime(), value, nil)
	if !ok {
		c.misuse("%s: the key must be a string or binary, not %s", name, k6glue.Show(value))
	}
	q.Key = append(q.Key, key...)
}

func readNothing(*client, *entry, *wire.Request, arguments) {}

// readAs reads an argument { as: 'string' } or { as: 'binary' }.
func readAs(place int) func(*client, *entry, *wire.Request, arguments) {
	return func(c *client, e *entry, _ *wire.Request, args arguments) {
		e.binary = c.as(e.command.name, args(place))
	}
}

// as reads how values come out.
func (c *client) as(name string, value sobek.Value) (binary bool) {
	if k6glue.IsNullish(value) {
		return c.config.Binary
	}
	object, ok := value.(*sobek.Object)
	if !ok {
		c.misuse("%s: the options must be an object such as { as: 'binary' }, not %s", name, k6glue.Show(value))
	}
	for _, key := range object.Keys() {
		if key != "as" {
			c.misuse("%s: unknown option %q; known is as", name, key)
		}
	}
	switch as := object.Get("as"); {
	case k6glue.IsNullish(as):
		return c.config.Binary
	case as.String() == valuesBinary:
		return true
	case as.String() == valuesString:
		return false
	default:
		c.misuse("%s: option as must be 'string' or 'binary', not %q", name, as.String())

		return false
	}
}

func readExpire(c *client, e *entry, q *wire.Request, args arguments) {
	q.Expire = c.expire(e.command.name, args(1))
}

func (c *client) expire(name string, value sobek.Value) int32 {
	n, ok := seconds(value)
	if !ok {
		c.misuse("%s: the time to live must be a whole number of seconds, not %s", name, k6glue.Show(value))
	}

	return n
}

func readExpireAs(c *client, e *entry, q *wire.Request, args arguments) {
	readExpire(c, e, q, args)
	e.binary = c.as(e.command.name, args(2))
}

func readValue(c *client, e *entry, q *wire.Request, args arguments) {
	value := args(1)
	stored, ok := k6glue.Bytes(c.vu.Runtime(), value, e.value)
	if !ok {
		c.misuse("%s: the value must be a string, an ArrayBuffer or a typed array, not %s", e.command.name, k6glue.Show(value))
	}
	if _, isText := value.(sobek.String); isText {
		e.value = stored
	}
	q.Value = stored
}

func readStored(c *client, e *entry, q *wire.Request, args arguments) {
	readValue(c, e, q, args)
	c.readStoring(e, q, args(2))
}

// readStoring reads a time to live, or { ttl, flags }.
func (c *client) readStoring(e *entry, q *wire.Request, value sobek.Value) {
	name := e.command.name
	if k6glue.IsNullish(value) {
		return
	}
	object, ok := value.(*sobek.Object)
	if !ok {
		q.Expire = c.expire(name, value)

		return
	}
	for _, key := range object.Keys() {
		switch key {
		case "ttl":
			q.Expire = c.expire(name, object.Get(key))
		case "flags":
			flags, ok := k6glue.Unsigned(object.Get(key))
			if q.Flags = uint32(flags); !ok || uint64(q.Flags) != flags {
				c.misuse("%s: option flags must be a whole number from 0 to 4294967295, not %s", name, object.Get(key).String())
			}
		default:
			c.misuse("%s: unknown option %q; known are flags, ttl", name, key)
		}
	}
}

func readSwapped(c *client, e *entry, q *wire.Request, args arguments) {
	readValue(c, e, q, args)
	var ok bool
	if q.CAS, ok = k6glue.Unsigned(args(2)); !ok {
		c.misuse("cas: the third argument must be the cas that gets returned, not %s", args(2).String())
	}
	c.readStoring(e, q, args(3))
}

func readDelta(c *client, e *entry, q *wire.Request, args arguments) {
	q.Delta = 1
	if k6glue.IsNullish(args(1)) {
		return
	}
	var ok bool
	if q.Delta, ok = k6glue.Unsigned(args(1)); !ok {
		c.misuse("%s: the number must be a whole number from 0, not %s", e.command.name, args(1).String())
	}
}

func readFlagsAs(c *client, e *entry, q *wire.Request, args arguments) {
	c.readFlags(e.command.name, q, args(1))
	e.binary = c.as(e.command.name, args(2))
}

func readValueAndFlags(c *client, e *entry, q *wire.Request, args arguments) {
	readValue(c, e, q, args)
	c.readFlags(e.command.name, q, args(2))
}

func (c *client) readFlags(name string, q *wire.Request, value sobek.Value) {
	if k6glue.IsNullish(value) {
		return
	}
	text, ok := value.(sobek.String)
	if !ok {
		c.misuse("%s: the flags must be a string such as 'v t T30', not %s", name, k6glue.Show(value))
	}
	q.Meta = append(q.Meta[:0], text.String()...)
}

func theValue(c *client, e *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return k6glue.FromBytes(c.vu.Runtime(), a.Value, e.binary)
}

func valueWithCAS(c *client, e *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return c.object(
		property{"value", k6glue.FromBytes(c.vu.Runtime(), a.Value, e.binary)},
		property{"cas", c.number(a.CAS)}, property{"flags", int64(a.Flags)},
	)
}

func whetherOK(c *client, _ *entry, a *wire.Reply) sobek.Value {
	return c.vu.Runtime().ToValue(a.Status == wire.OK)
}

func theNumber(c *client, _ *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return c.number(a.Number)
}

// statusNames are what scripts see.
var statusNames = map[wire.Status]string{ //nolint:gochecknoglobals // a table
	wire.OK: "ok", wire.NotFound: "not_found", wire.NotStored: "not_stored", wire.Exists: "exists",
}

func outcomeOfSwap(c *client, _ *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.OK {
		return c.vu.Runtime().ToValue("stored")
	}

	return c.vu.Runtime().ToValue(statusNames[a.Status])
}

// metaReply is { status, value, flags }.
func metaReply(c *client, e *entry, a *wire.Reply) sobek.Value {
	flags := c.vu.Runtime().NewObject()
	for flag := range bytes.FieldsSeq(a.Meta) {
		c.set(flags, string(flag[:1]), string(flag[1:]))
	}
	value := sobek.Null()
	if a.HasValue {
		value = k6glue.FromBytes(c.vu.Runtime(), a.Value, e.binary)
	}

	return c.object(property{"status", statusNames[a.Status]}, property{"value", value}, property{"flags", flags})
}

func (c *client) object(properties ...property) *sobek.Object {
	object := c.vu.Runtime().NewObject()
	for _, p := range properties {
		c.set(object, p.name, p.value)
	}

	return object
}

// set sets a property whatever it is called, __proto__ included.
func (c *client) set(object *sobek.Object, name string, value any) {
	if err := object.DefineDataProperty(name, c.vu.Runtime().ToValue(value), sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_TRUE); err != nil {
		c.misuse("%s", err)
	}
}

package memcached

import (
	"bytes"
	"cmp"
	"math"
	"time"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/memcached/wire"
)

type command struct {
	name   string
	method string // name in client.meta; "": a method of the client itself
	verb   wire.Verb
	read   func(c *client, e *entry, q *wire.Request, args arguments) error
	result func(c *client, e *entry, a *wire.Reply) sobek.Value
}

type entry struct {
	command  *command
	position int // position in a pipeline
	value    []byte
	binary   bool // returns the value as an ArrayBuffer
	tags     k6x.Tags
}

type arguments func(i int) sobek.Value

var commands = commandsByName( //nolint:gochecknoglobals // a table
	&command{name: "get", verb: wire.Get, read: readAs(1), result: theValue},
	&command{name: "gets", verb: wire.Gets, read: readAs(1), result: valueWithCAS},
	&command{name: "gat", verb: wire.Gat, read: readExpireAs, result: theValue},
	&command{name: "gats", verb: wire.Gats, read: readExpireAs, result: valueWithCAS},
	&command{name: "touch", verb: wire.Touch, read: readExpireTags, result: whetherOK},
	&command{name: "set", verb: wire.Set, read: readStored, result: whetherOK},
	&command{name: "add", verb: wire.Add, read: readStored, result: whetherOK},
	&command{name: "replace", verb: wire.Replace, read: readStored, result: whetherOK},
	&command{name: "append", verb: wire.Append, read: readValueTags, result: whetherOK},
	&command{name: "prepend", verb: wire.Prepend, read: readValueTags, result: whetherOK},
	&command{name: "cas", verb: wire.CompareAndSwap, read: readSwapped, result: outcomeOfSwap},
	&command{name: "delete", verb: wire.Delete, read: readTags(1), result: whetherOK},
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

func commandMethods(meta bool) k6x.Methods[*client] {
	methods := k6x.Methods[*client]{}
	for _, command := range commands {
		if isMeta := command.method != ""; isMeta == meta {
			name := cmp.Or(command.method, command.name)
			methods[name] = func(c *client, call sobek.FunctionCall) sobek.Value {
				return c.single(command, call.Argument)
			}
			methods[k6x.AsyncName(name)] = func(c *client, call sobek.FunctionCall) sobek.Value {
				return c.later(command, call.Argument)
			}
		}
	}

	return methods
}

func (c *client) single(command *command, args arguments) sobek.Value {
	c.begin()
	defer c.end()
	b := &c.batches[0]
	b.clear()
	e, q := b.add(command)
	c.check(c.read(e, q, args))
	c.Tag(e.tags)
	defer c.Tag(k6x.Tags{})
	a := &b.replies[0]
	c.check(c.do(command.name, c.server(q.Key), q, a))

	return command.result(c, e, a)
}

func (c *client) read(e *entry, q *wire.Request, args arguments) error {
	q.Verb = e.command.verb
	e.binary, e.tags = c.config.Binary, c.tags
	if err := c.readKey(e.command.name, q, args(0)); err != nil {
		return err
	}

	return e.command.read(c, e, q, args)
}

func (c *client) readKey(name string, q *wire.Request, value sobek.Value) error {
	q.Key = append(q.Key[:0], c.config.Prefix...)
	if text, ok := value.(sobek.String); ok {
		q.Key = append(q.Key, text.String()...)

		return nil
	}
	var none []byte
	key, err := k6x.Bytes(c.Runtime(), name, "the key", value, &none)
	q.Key = append(q.Key, key...)

	return err
}

func readTags(place int) func(*client, *entry, *wire.Request, arguments) error {
	return func(_ *client, e *entry, _ *wire.Request, args arguments) error {
		return tagsOnly.Read(e.command.name, args(place), e)
	}
}

func readAs(place int) func(*client, *entry, *wire.Request, arguments) error {
	return func(_ *client, e *entry, _ *wire.Request, args arguments) error {
		return asOptions.Read(e.command.name, args(place), e)
	}
}

var (
	callTags  = k6x.TagsOption(func(e *entry) *k6x.Tags { return &e.tags }) //nolint:gochecknoglobals // a table
	tagsOnly  = k6x.Options[entry]{callTags}                                //nolint:gochecknoglobals // a table
	asOptions = k6x.Options[entry]{                                         //nolint:gochecknoglobals // a table
		{Name: "as", Read: func(e *entry, method string, value sobek.Value) error {
			word, err := k6x.Word(method, "option as", value, valuesString, valuesBinary)
			e.binary = word == valuesBinary

			return err
		}},
		callTags,
	}
)

func readExpire(_ *client, e *entry, q *wire.Request, args arguments) (err error) {
	if k6x.IsNullish(args(1)) {
		return k6x.Wrong(e.command.name, "the ttl", "a time such as '60s', 0 for never, or a Date", args(1))
	}
	q.Expire, err = expiry(e.command.name, "the ttl", args(1))

	return err
}

// memcached takes larger numbers as Unix times.
const farthest = 30 * 24 * 60 * 60

func expiry(method, what string, value sobek.Value) (int32, error) {
	ttl, err := k6x.TTL(method, what, value)
	if err != nil {
		return 0, err
	}
	seconds := k6x.Seconds(ttl)
	if seconds > farthest {
		seconds += time.Now().Unix()
	}
	if seconds > math.MaxInt32 {
		return 0, k6x.Misuse("%s: %s must end before 2038-01-19, or be 0 for never", method, what)
	}

	return int32(seconds), nil
}

func readExpireTags(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readExpire(c, e, q, args); err != nil {
		return err
	}

	return tagsOnly.Read(e.command.name, args(2), e)
}

func readExpireAs(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readExpire(c, e, q, args); err != nil {
		return err
	}

	return asOptions.Read(e.command.name, args(2), e)
}

func readValue(c *client, e *entry, q *wire.Request, args arguments) (err error) {
	q.Value, err = k6x.Bytes(c.Runtime(), e.command.name, "the value", args(1), &e.value)

	return err
}

func readValueTags(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readValue(c, e, q, args); err != nil {
		return err
	}

	return tagsOnly.Read(e.command.name, args(2), e)
}

func readStored(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readValue(c, e, q, args); err != nil {
		return err
	}

	return readStoring(e, q, args(2))
}

type stored struct {
	*entry

	request *wire.Request
}

func readStoring(e *entry, q *wire.Request, value sobek.Value) (err error) {
	name := e.command.name
	switch object, isObject := value.(*sobek.Object); {
	case k6x.IsNullish(value):
		return nil
	case isObject && object.ClassName() != "Date":
		return storing.Read(name, value, &stored{e, q})
	default:
		q.Expire, err = expiry(name, "the ttl", value)

		return err
	}
}

var storing = k6x.Options[stored]{ //nolint:gochecknoglobals // a table
	{Name: "flags", Read: func(s *stored, method string, value sobek.Value) error {
		flags, ok := k6x.UnsignedOf(value)
		if s.request.Flags = uint32(flags); !ok || uint64(s.request.Flags) != flags {
			return k6x.Wrong(method, "option flags", "an integer from 0 to 4294967295", value)
		}

		return nil
	}},
	{Name: "ttl", Read: func(s *stored, method string, value sobek.Value) (err error) {
		s.request.Expire, err = expiry(method, "option ttl", value)

		return err
	}},
	k6x.TagsOption(func(s *stored) *k6x.Tags { return &s.tags }),
}

func readSwapped(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readValue(c, e, q, args); err != nil {
		return err
	}
	var ok bool
	if q.CAS, ok = k6x.UnsignedOf(args(2)); !ok {
		return k6x.Wrong(e.command.name, "the third argument", "the cas that gets returned", args(2))
	}

	return readStoring(e, q, args(3))
}

func readDelta(_ *client, e *entry, q *wire.Request, args arguments) (err error) {
	q.Delta = 1
	if !k6x.IsNullish(args(1)) {
		if q.Delta, err = k6x.Unsigned(e.command.name, "the number", args(1)); err != nil {
			return err
		}
	}

	return tagsOnly.Read(e.command.name, args(2), e)
}

func readFlagsAs(_ *client, e *entry, q *wire.Request, args arguments) error {
	if err := readFlags(e.command.name, q, args(1)); err != nil {
		return err
	}

	return asOptions.Read(e.command.name, args(2), e)
}

func readValueAndFlags(c *client, e *entry, q *wire.Request, args arguments) error {
	if err := readValue(c, e, q, args); err != nil {
		return err
	}
	if err := readFlags(e.command.name, q, args(2)); err != nil {
		return err
	}

	return tagsOnly.Read(e.command.name, args(3), e)
}

func readFlags(name string, q *wire.Request, value sobek.Value) error {
	if k6x.IsNullish(value) {
		return nil
	}
	text, ok := k6x.TextOf(value)
	if !ok {
		return k6x.Wrong(name, "the flags", "a string such as 'v t T30'", value)
	}
	q.Meta = append(q.Meta[:0], text...)

	return nil
}

func theValue(c *client, e *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return k6x.FromBytes(c.Runtime(), a.Value, e.binary)
}

func valueWithCAS(c *client, e *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return c.object(
		k6x.Property{Name: "value", Value: k6x.FromBytes(c.Runtime(), a.Value, e.binary)},
		k6x.Property{Name: "cas", Value: k6x.FromUnsigned(c.Runtime(), a.CAS)},
		k6x.Property{Name: "flags", Value: int64(a.Flags)},
	)
}

func whetherOK(c *client, _ *entry, a *wire.Reply) sobek.Value {
	return c.Runtime().ToValue(a.Status == wire.OK)
}

func theNumber(c *client, _ *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.NotFound {
		return sobek.Null()
	}

	return k6x.FromUnsigned(c.Runtime(), a.Number)
}

var statusNames = map[wire.Status]string{ //nolint:gochecknoglobals // a table
	wire.OK: "ok", wire.NotFound: "not_found", wire.NotStored: "not_stored", wire.Exists: "exists",
}

func outcomeOfSwap(c *client, _ *entry, a *wire.Reply) sobek.Value {
	if a.Status == wire.OK {
		return c.Runtime().ToValue("stored")
	}

	return c.Runtime().ToValue(statusNames[a.Status])
}

func metaReply(c *client, e *entry, a *wire.Reply) sobek.Value {
	flags := c.Runtime().NewObject()
	for flag := range bytes.FieldsSeq(a.Meta) {
		c.Set(flags, string(flag[:1]), string(flag[1:]))
	}
	value := sobek.Null()
	if a.HasValue {
		value = k6x.FromBytes(c.Runtime(), a.Value, e.binary)
	}

	return c.object(
		k6x.Property{Name: "status", Value: statusNames[a.Status]},
		k6x.Property{Name: "value", Value: value},
		k6x.Property{Name: "flags", Value: flags},
	)
}

package k6glue

import (
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/nearest"
)

// instead is what an object has in place of a method that people know from another library.
type instead struct {
	// beside is a method by which the object is known: the line is for objects that have it.
	beside string
	// line says what to write; empty: the method beside.
	line string
}

// otherMethods are names of methods that people know from other libraries. The first line that fits
// the object counts.
var otherMethods = map[string][]instead{ //nolint:gochecknoglobals // a table
	"del": {{beside: "delete"}}, "remove": {{beside: "delete"}}, "unset": {{beside: "delete"}},
	"mget": {{beside: "getMulti"}}, "getMany": {{beside: "getMulti"}}, "getAll": {{beside: "getMulti"}}, "multiGet": {{beside: "getMulti"}},
	"mset": {{beside: "setMulti"}}, "setMany": {{beside: "setMulti"}}, "multiSet": {{beside: "setMulti"}},
	"mdel": {{beside: "deleteMulti"}}, "deleteMany": {{beside: "deleteMulti"}},
	"increment": {{beside: "incr"}}, "incrBy": {{beside: "incr"}}, "decrement": {{beside: "decr"}}, "decrBy": {{beside: "decr"}},
	"flush": {{beside: "flushAll"}}, "expire": {{beside: "touch"}}, "multi": {{beside: "pipeline"}}, "pipelined": {{beside: "pipeline"}},
	"setex": {{"set", "set(key, value, '60s')"}}, "setEx": {{"set", "set(key, value, '60s')"}},
	"put": {{beside: "set"}}, "setValue": {{beside: "set"}}, "getValue": {{beside: "get"}},

	"execute": {{beside: "exec"}}, "select": {{beside: "query"}}, "queryRow": {{beside: "query"}},
	"insert":     {{"appender", "appender(table), and append([value, ...], ...) of what that returns"}, {beside: "append"}},
	"append":     {{"appender", "appender(table), and append([value, ...], ...) of what that returns"}},
	"appendRows": {{"appender", "appender(table), and append([value, ...], ...) of what that returns"}, {beside: "append"}},
	"write":      {{beside: "append"}}, "appendRow": {{beside: "append"}},

	"unsubscribe": {{"dropped", "close() of the subscription"}, {"subscribe", "close() of what subscribe returns"}},
	"disconnect":  {{beside: "close"}}, "quit": {{beside: "close"}}, "end": {{beside: "close"}}, "destroy": {{beside: "close"}},
	"shutdown": {{beside: "close"}}, "stop": {{beside: "close"}},
	"serverInfo": {{beside: "info"}}, "accountInfo": {{beside: "info"}}, "status": {{beside: "info"}},
	"reply": {{beside: "respond"}}, "nack": {{beside: "nak"}}, "acknowledge": {{beside: "ack"}}, "ping": {{beside: "rtt"}},
	"queueSubscribe": {{"subscribe", "subscribe(subject, callback, { queue })"}},
	"json":           {{"header", "JSON.parse(message.data)"}}, "string": {{"header", "message.data"}},
	"kv":             {{"keyValue", ""}, {"jetStream", "jetStream().keyValue(bucket)"}},
	"keyValue":       {{"jetStream", "jetStream().keyValue(bucket)"}},
	"createKeyValue": {{"jetStream", "jetStream().createKeyValue({ bucket, ttl: '60s' })"}},
	"objectStore":    {{"jetStream", "jetStream().objectStore(bucket)"}},
	"createStream":   {{"jetStream", "jetStream().createStream({ name, subjects })"}},
	"consumer":       {{"jetStream", "jetStream().consumer(stream, name)"}},
	"addStream":      {{beside: "createStream"}}, "addConsumer": {{beside: "createConsumer"}},
	"publishNoWait": {{"jetStream", "publish(subject, data), which does not wait; jetStream().publishNoWait waits for no acknowledgement"}},

	"get": {{"hitRate", workloadsOnly}}, "set": {{"hitRate", workloadsOnly}}, "command": {{"hitRate", workloadsOnly}},
	"sendCommand": {{"hitRate", workloadsOnly}},

	"openSession": {{beside: "open"}}, "subscribeBulk": {{beside: "subscribe"}}, "read": {{beside: "readBulk"}},
}

// workloadsOnly is for who looks for single commands in a module that has none of that name.
const workloadsOnly = "run({ iterations, mix }), which does workloads; single commands of RESP are those of k6/x/redis"

// silent are names that others than scripts ask objects for, to see whether they are there.
var silent = []string{"then", "toJSON", "constructor", "inspect"} //nolint:gochecknoglobals // a table

// leastNear is how many letters a name has at least that is taken for a slip.
const leastNear = 4

// otherName is what to write in place of a method that the objects do not have; empty where nothing
// is known.
func (m Methods[T]) otherName(name string) string {
	if write := m.instead(name); write != "" {
		return "use " + write
	}

	return ""
}

func (m Methods[T]) instead(name string) string {
	if _, has := m[name]; has || slices.Contains(silent, name) {
		return ""
	}
	for _, other := range otherMethods[name] {
		if _, has := m[other.beside]; !has {
			continue
		}
		if other.line == "" {
			return other.beside
		}

		return other.line
	}
	if blocking, is := strings.CutSuffix(name, "Async"); is && blocking != "" {
		if _, has := m[AsyncName(blocking)]; has {
			return AsyncName(blocking)
		}
		if _, has := m[blocking]; has {
			return blocking + ", which has no form that returns a promise"
		}
	}
	if len(name) < leastNear {
		return ""
	}
	near, _ := nearest.Of(name, m.names())

	return near
}

// noMethod is the error of a call of a method that there is not.
func noMethod(rt *sobek.Runtime, name, write string) *sobek.Object {
	return NewMisuse(rt, "TypeError", "there is no "+name+" here: "+write, map[string]any{"kind": "usage", "code": 0})
}

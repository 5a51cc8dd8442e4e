package k6glue

import (
	"slices"
	"strings"

	"github.com/grafana/sobek"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/nearest"
)

type instead struct {
	// beside is a method that the object must have for the hint to apply.
	beside string
	// line says what to write; if empty, the method beside.
	line string
}

// otherMethods maps method names of other libraries to hints. The first that applies is used.
var otherMethods = map[string][]instead{ //nolint:gochecknoglobals // a table
	"del": {{beside: "delete"}}, "remove": {{beside: "delete"}}, "unset": {{beside: "delete"}},
	"mget": {{beside: "getMulti"}}, "getMany": {{beside: "getMulti"}}, "getAll": {{beside: "getMulti"}}, "multiGet": {{beside: "getMulti"}},
	"mset": {{beside: "setMulti"}}, "setMany": {{beside: "setMulti"}}, "multiSet": {{beside: "setMulti"}},
	"mdel": {{beside: "deleteMulti"}}, "deleteMany": {{beside: "deleteMulti"}},
	"increment": {{beside: "incr"}}, "incrBy": {{beside: "incr"}}, "decrement": {{beside: "decr"}}, "decrBy": {{beside: "decr"}},
	"flush": {{beside: "flushAll"}}, "expire": {{beside: "touch"}},
	"multi": {{beside: "pipeline"}, {"hitRate", pipelines}}, "pipelined": {{beside: "pipeline"}, {"hitRate", pipelines}},
	"batch": {{beside: "pipeline"}, {"hitRate", pipelines}}, "pipeline": {{"hitRate", pipelines}},
	"setex": {{"set", "set(key, value, '60s')"}}, "setEx": {{"set", "set(key, value, '60s')"}},
	"put": {{beside: "set"}}, "setValue": {{beside: "set"}}, "getValue": {{beside: "get"}},

	"execute": {{beside: "exec"}}, "select": {{beside: "query"}}, "queryRow": {{beside: "query"}}, "queryOne": {{beside: "query"}},
	"openAppender": {{beside: "appender"}}, "createAppender": {{beside: "appender"}}, "newAppender": {{beside: "appender"}},
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
	"createKV":       {{beside: "createKeyValue"}, {"jetStream", "jetStream().createKeyValue({ bucket, ttl: '60s' })"}},
	"createBucket":   {{beside: "createKeyValue"}, {"jetStream", "jetStream().createKeyValue({ bucket, ttl: '60s' })"}},
	"deleteKeyValue": {{"jetStream", "jetStream().deleteKeyValue(bucket)"}},
	"addStream":      {{beside: "createStream"}}, "addConsumer": {{beside: "createConsumer"}},
	"publishJson":   {{"jetStream", "publish(subject, JSON.stringify(value))"}},
	"publishNoWait": {{"jetStream", "publish(subject, data), which does not wait; jetStream().publishNoWait waits for no acknowledgement"}},

	"openSession": {{beside: "open"}}, "closeSession": {{beside: "close"}}, "subscribeBulk": {{beside: "subscribe"}},
	"read": {{beside: "readBulk"}}, "advise": {{beside: "subscribe"}}, "addItem": {{beside: "subscribe"}},
	"unregister": {{"register", "close(), which ends the session and what it registered"}},
}

// commands are names of single commands, sought in clients that only run workloads.
var commands = []string{ //nolint:gochecknoglobals // a table
	"get", "set", "do", "call", "send", "command", "sendCommand", "exec", "ping", "eval", "del", "exists", "expire", "flushAll",
	"incr", "incrBy", "decr", "mget", "mset", "setex", "hset", "hget", "lpush", "rpush", "lpop", "sadd", "zadd",
}

// Hints for single commands and for pipelines.
const (
	workloadsOnly = "run({ iterations, mix }), which does workloads; single commands of RESP are those of k6/x/redis"
	pipelines     = "run({ iterations, mix, pipeline: 16 })"
)

// silent are names that JavaScript engines and tools probe for.
var silent = []string{"then", "toJSON", "constructor", "inspect"} //nolint:gochecknoglobals // a table

// leastNear is the minimum length of a name for a spelling suggestion.
const leastNear = 4

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
	if m.doesWorkloadsOnly() && slices.Contains(commands, strings.TrimSuffix(name, "Async")) {
		return workloadsOnly
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

// doesWorkloadsOnly reports whether the client has no single commands.
func (m Methods[T]) doesWorkloadsOnly() bool {
	_, workloads := m["hitRate"]
	_, commands := m["get"]

	return workloads && !commands
}

func noMethod(rt *sobek.Runtime, name, write string) *sobek.Object {
	return NewMisuse(rt, "TypeError", "there is no "+name+" here: "+write, map[string]any{"kind": "usage", "code": 0})
}

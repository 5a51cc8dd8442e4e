package nats

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// index.d.ts declares all that scripts can use, and nothing else.
func TestDeclarations(t *testing.T) {
	v := withStream(t)
	v.Run(`
		client.publish(unique + '.m', 'x');
		js.publish(subject, 'x');
		var kv = js.createKeyValue({ bucket: unique, storage: 'memory' });
		kv.put('k', 'v');
		var sub = client.subscribe('a');
		var objects = { Client: client, JetStream: js, Consumer: js.consumer('s', 'c'), KeyValue: kv, ObjectStore: js.objectStore('b'),
			Subscription: sub, Feed: kv.watch(), Responder: client.respond('a'),
			Layout: client.layout({ layout: 'orb' }), NatsjsRow: client.natsjsRow('OrbSet'), NatsjsRowDescription: nats.natsjsRows[0],
			Acknowledgement: js.publish(subject, 'x'), Entry: kv.get('k'), StoredMessage: js.getMessage(unique, 1), ServerInfo: client.info() };
		js.deleteKeyValue(unique);
		var all = (o) => { const keys = []; for (const key in o) keys.push(key); return keys; };
		var methods = (o) => all(o).filter((key) => typeof o[key] === 'function'), properties = (o) => all(o).filter((key) => typeof o[key] !== 'function');
	`)
	for _, name := range []string{"Client", "JetStream", "Consumer", "KeyValue", "ObjectStore", "Feed", "Responder", "Layout", "NatsjsRow"} {
		require.ElementsMatch(t, v.Run(`methods(objects.`+name+`)`), declaredMethods(declaration(t, name)), name)
	}
	require.ElementsMatch(t, v.Run(`methods(objects.Subscription)`),
		append(declaredMethods(declaration(t, "Feed")), declaredMethods(declaration(t, "Subscription"))...))
	for _, name := range []string{"KeyValue", "ObjectStore", "Acknowledgement", "Entry", "StoredMessage", "ServerInfo", "NatsjsRowDescription"} {
		require.ElementsMatch(t, v.Run(`properties(objects.`+name+`)`), declaredProperties(declaration(t, name)), name)
	}

	for name, options := range map[string]reflect.Type{
		"ClientOptions": reflect.TypeFor[options](), "TLSOptions": reflect.TypeFor[tlsOptions](),
		"SubscribeOptions": reflect.TypeFor[subscribeOptions](), "JetStreamOptions": reflect.TypeFor[jetStreamOptions](),
		"WatchOptions": reflect.TypeFor[watchOptions](), "LayoutOptions": reflect.TypeFor[layoutOptions](),
		"NatsjsRowOptions": reflect.TypeFor[rowOptions](),
	} {
		require.ElementsMatch(t, optionKeys(options), declaredProperties(declaration(t, name)), name)
	}
}

func TestMessagesAreDeclared(t *testing.T) {
	core, stored := declaration(t, "Message"), declaration(t, "StreamMessage")
	require.ElementsMatch(t, coreKeys, declaredProperties(core))
	require.ElementsMatch(t, storedKeys, append(declaredProperties(core), declaredProperties(stored)...))
	v := newVU(t)
	v.Run(`var sub = new nats.Client(url).subscribe(unique); new nats.Client(url).publish(unique, 'x')`)
	require.ElementsMatch(t, v.Run(`Object.keys(Object.getPrototypeOf(sub.next()))`), declaredMethods(core))
	w := withStream(t)
	w.Run(`js.publish(subject, 'x')`)
	require.ElementsMatch(t, w.Run(`Object.keys(Object.getPrototypeOf(js.orderedConsumer(unique).next()))`),
		append(declaredMethods(stored), "header"))
}

func TestMetricsAreDocumented(t *testing.T) {
	v := newInitVU(t, New())
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	own := 0
	for _, metric := range v.VU.InitEnv().Registry.All() {
		if strings.HasPrefix(metric.Name, "nats_") {
			own++
			require.Contains(t, string(raw), "`"+metric.Name+"`")
		}
	}
	require.Equal(t, 11, own)
}

// declaration is the body of a class or an interface.
func declaration(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)
	body := regexp.MustCompile(`(?s)export (?:class|interface) ` + name + `(?:<\w+>)?(?: extends [^{]+)? \{\n(.*?)\n  \}`).FindStringSubmatch(string(raw))
	require.NotNil(t, body, "%s is not declared", name)

	return body[1]
}

func declaredMethods(body string) []any {
	var names []any
	seen := map[string]bool{"constructor": true}
	for _, match := range regexp.MustCompile(`(?m)^    (\w+)(?:<[^(]*>)?\(`).FindAllStringSubmatch(body, -1) {
		if !seen[match[1]] {
			seen[match[1]] = true
			names = append(names, match[1])
		}
	}

	return names
}

func declaredProperties(body string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^    (?:readonly )?(\w+)\??:`).FindAllStringSubmatch(body, -1) {
		names = append(names, match[1])
	}

	return names
}

// optionKeys are the keys of a struct of options.
func optionKeys(t reflect.Type) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		if key := field.Tag.Get("json"); key != "" {
			keys = append(keys, key)
		}
	}

	return keys
}

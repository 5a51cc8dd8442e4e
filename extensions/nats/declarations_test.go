package nats

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	natsio "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/nats/kvlayout"
)

func TestDeclarations(t *testing.T) {
	v := withStream(t)
	v.Run(`
		client.publish(unique + '.m', 'x');
		js.publish(subject, 'x');
		var kv = js.createKeyValue({ bucket: unique, storage: 'memory' });
		kv.put('k', 'v');
		var sub = client.subscribe('a');
		var objects = { Client: client, Nats: new nats.Nats(url), JetStream: js, Consumer: js.consumer('s', 'c'), KeyValue: kv, ObjectStore: js.objectStore('b'),
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
	require.ElementsMatch(t, v.Run(`methods(objects.Nats)`),
		append(declaredMethods(declaration(t, "Client")), declaredMethods(declaration(t, "Nats"))...))
	require.ElementsMatch(t, v.Run(`methods(objects.Subscription)`),
		append(declaredMethods(declaration(t, "Feed")), declaredMethods(declaration(t, "Subscription"))...))
	for _, name := range []string{"KeyValue", "ObjectStore", "Acknowledgement", "Entry", "StoredMessage", "ServerInfo", "NatsjsRowDescription"} {
		require.ElementsMatch(t, v.Run(`properties(objects.`+name+`)`), declaredProperties(declaration(t, name)), name)
	}

	for name, options := range map[string]reflect.Type{"ClientOptions": reflect.TypeFor[options](), "TLSOptions": reflect.TypeFor[tlsOptions]()} {
		raw, err := os.ReadFile("../internal/k6x/index.d.ts")
		require.NoError(t, err)
		common := regexp.MustCompile(`(?s)  interface ` + name + ` \{\n(.*?)\n  \}`).FindStringSubmatch(string(raw))
		require.NotNil(t, common, name)
		require.ElementsMatch(t, optionKeys(options), append(declaredProperties(common[1]), declaredProperties(declaration(t, name))...), name)
	}
	for name, options := range map[string]reflect.Type{
		"SubscribeOptions": reflect.TypeFor[subscribeOptions](), "JetStreamOptions": reflect.TypeFor[jetStreamOptions](),
		"WatchOptions": reflect.TypeFor[watchOptions](), "LayoutOptions": reflect.TypeFor[kvlayout.Options](),
		"NatsjsRowOptions": reflect.TypeFor[kvlayout.RunOptions](), "ConsumeOptions": reflect.TypeFor[consumeOptions](),
		"TableOptions": reflect.TypeFor[tableOptions](),
	} {
		declared := declaredProperties(declaration(t, name))
		if extends(t, name, "CallOptions") {
			declared = append(declared, "tags")
		}
		require.ElementsMatch(t, optionKeys(options), declared, name)
	}
}

func TestConfigurationsAndInfosAreDeclared(t *testing.T) {
	for name, of := range map[string]reflect.Type{
		"StreamConfiguration": reflect.TypeFor[jetstream.StreamConfig](), "ConsumerConfiguration": reflect.TypeFor[jetstream.ConsumerConfig](),
		"KeyValueConfiguration": reflect.TypeFor[jetstream.KeyValueConfig](), "Placement": reflect.TypeFor[jetstream.Placement](),
		"ObjectStoreConfiguration": reflect.TypeFor[jetstream.ObjectStoreConfig](), "StreamInfo": reflect.TypeFor[jetstream.StreamInfo](),
		"StreamState": reflect.TypeFor[jetstream.StreamState](), "ConsumerInfo": reflect.TypeFor[jetstream.ConsumerInfo](),
		"SequenceInfo": reflect.TypeFor[jetstream.SequenceInfo](), "ClusterInfo": reflect.TypeFor[jetstream.ClusterInfo](),
		"PeerInfo": reflect.TypeFor[jetstream.PeerInfo](), "DesiredClusterInfo": reflect.TypeFor[jetstream.DesiredClusterInfo](),
		"StreamSource": reflect.TypeFor[jetstream.StreamSource](), "StreamSourceInfo": reflect.TypeFor[jetstream.StreamSourceInfo](),
		"SubjectTransform": reflect.TypeFor[jetstream.SubjectTransformConfig](), "Republish": reflect.TypeFor[jetstream.RePublish](),
		"ObjectInfo": reflect.TypeFor[jetstream.ObjectInfo](),
	} {
		require.ElementsMatch(t, apiNames(of), declaredProperties(declaration(t, name)), name)
	}
	ordered := regexp.MustCompile(`(?s)type OrderedConsumerConfiguration = (.*?);`).FindString(declarations(t))
	var declared []string
	for _, match := range regexp.MustCompile(`'(\w+)'`).FindAllStringSubmatch(ordered, -1) {
		declared = append(declared, match[1])
	}
	require.ElementsMatch(t, apiNames(reflect.TypeFor[jetstream.OrderedConsumerConfig]()), declared)

	v := withStream(t)
	v.Run(`var store = js.createObjectStore({ bucket: unique, storage: 'memory' }), kv = js.createKeyValue({ bucket: unique, storage: 'memory' })`)
	t.Cleanup(func() { v.Run(`js.deleteObjectStore(unique); js.deleteKeyValue(unique)`) })
	require.ElementsMatch(t, v.Run(`Object.keys(store.info())`), declaredProperties(declaration(t, "ObjectStoreInfo")))
	require.ElementsMatch(t, v.Run(`Object.keys(kv.info())`), declaredProperties(declaration(t, "KeyValueInfo")))
}

// apiNames requires each duration to be known as one.
func apiNames(t reflect.Type) []string {
	var names []string
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		names = append(names, camel(name))
		if field.Type == reflect.TypeFor[time.Duration]() || field.Type == reflect.TypeFor[[]time.Duration]() {
			if !slices.Contains(durations, name) && !slices.Contains(spans, name) {
				names = append(names, name+", a time")
			}
		}
	}

	return names
}

func TestKindsAreDeclared(t *testing.T) {
	declared := declaration(t, "NatsError")
	for _, k := range kinds {
		require.Contains(t, declared, "| '"+k.kind+"'")
	}
	for err, kind := range map[error]string{
		jetstream.ErrTooManyStalledMsgs: k6x.KindBusy, jetstream.ErrInvalidJSAck: k6x.KindProtocol, jetstream.ErrBucketNotFound: k6x.KindNotFound,
		jetstream.ErrBucketExists: k6x.KindConflict, natsio.ErrMaxPayload: k6x.KindTooLarge, natsio.ErrDisconnected: k6x.KindConnection,
	} {
		require.Equal(t, kind, scriptError(err).Kind, err)
	}
}

func TestTimesOfConfigurations(t *testing.T) {
	for d, want := range map[time.Duration]any{
		0: 0, time.Hour: "1h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 10 * time.Second: "10s", 24 * time.Hour: "24h",
		time.Hour + time.Second: "1h0m1s", 1500 * time.Microsecond: "1.5ms",
	} {
		require.Equal(t, want, shownTime(d))
	}
}

func TestMessagesAreDeclared(t *testing.T) {
	core, stored := declaration(t, "Message"), declaration(t, "StreamMessage")
	require.ElementsMatch(t, (&lazyObject[*message]{properties: coreProperties}).Keys(), declaredProperties(core))
	require.ElementsMatch(t, (&lazyObject[*message]{properties: storedProperties}).Keys(), append(declaredProperties(core), declaredProperties(stored)...))
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
	own := 0
	for _, metric := range v.VU.InitEnv().Registry.All() {
		if strings.HasPrefix(metric.Name, "nats_") {
			own++
			require.Contains(t, declarations(t), "`"+metric.Name+"`")
		}
	}
	require.Equal(t, 12, own)
}

func declarations(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("index.d.ts")
	require.NoError(t, err)

	return string(raw)
}

func declaration(t *testing.T, name string) string {
	t.Helper()
	body := regexp.MustCompile(`(?s)export (?:class|interface) ` + name + `(?:<\w+>)?(?: extends [^{]+)? \{\n(.*?)\n  \}`).FindStringSubmatch(declarations(t))
	require.NotNil(t, body, "%s is not declared", name)

	return body[1]
}

func extends(t *testing.T, name, other string) bool {
	t.Helper()

	return strings.Contains(declarations(t), "export interface "+name+" extends "+other+" {")
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

func optionKeys(t reflect.Type) []string {
	var keys []string
	for _, field := range reflect.VisibleFields(t) {
		if key := field.Tag.Get("json"); key != "" {
			keys = append(keys, key)
		}
	}

	return keys
}

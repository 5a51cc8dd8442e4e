package k6x

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

func TestValues(t *testing.T) {
	rt := sobek.New()
	var buffer []byte
	readers := map[string]func(sobek.Value) (any, error){
		"text":     func(v sobek.Value) (any, error) { return Text("get", "the key", v) },
		"name":     func(v sobek.Value) (any, error) { return Name("get", "the key", v) },
		"unsigned": func(v sobek.Value) (any, error) { return Unsigned("get", "the key", v) },
		"count":    func(v sobek.Value) (any, error) { return Count("get", "the key", v) },
		"duration": func(v sobek.Value) (any, error) { return Duration("get", "the key", v, time.Hour) },
		"ttl":      func(v sobek.Value) (any, error) { return TTL("touch", "the ttl", v) },
		"word":     func(v sobek.Value) (any, error) { return Word("get", "the key", v, "a", "b") },
		"bytes": func(v sobek.Value) (any, error) {
			b, err := Bytes(rt, "get", "the key", v, &buffer)

			return string(b), err
		},
		"elements": func(v sobek.Value) (any, error) {
			all, err := Elements("get", "the keys", v)

			return len(all), err
		},
	}
	for _, test := range []struct {
		reader, js string
		want       any // or the expected error message
		fails      bool
	}{
		{"text", `''`, "", false},
		{"text", `5`, "get: the key must be a string, not 5", true},
		{"name", `'a'`, "a", false},
		{"name", `''`, "get: the key must be a string that is not empty, not ''", true},
		{"name", `undefined`, "get: the key must be a string that is not empty, not undefined", true},
		{"unsigned", `18446744073709551615n`, uint64(1<<64 - 1), false},
		{"unsigned", `-1`, "get: the key must be an integer from 0 or a BigInt, not -1", true},
		{"unsigned", `NaN`, "get: the key must be an integer from 0 or a BigInt, not NaN", true},
		{"count", `1000000`, 1_000_000, false},
		{"count", `1000001`, "get: the key must be an integer from 1 to 1000000, not 1000001", true},
		{"count", `0`, "get: the key must be an integer from 1 to 1000000, not 0", true},
		{"duration", `'5s'`, 5 * time.Second, false},
		{"duration", `1500`, 1500 * time.Millisecond, false},
		{"duration", `null`, time.Hour, false},
		{"duration", `100`, 100 * time.Millisecond, false},
		{"duration", `0`, time.Duration(0), false},
		{"duration", `99`, "get: key 99 could be seconds or milliseconds: write '99s' or '99ms'", true},
		{"duration", `1.5`, "get: key 1.5 could be seconds or milliseconds: write '1.5s' or '1.5ms'", true},
		{"duration", `'1500'`, "get: key 1500 could be seconds or milliseconds: write '1500s' or '1500ms'", true},
		{"duration", `-1`, "get: the key must be a time such as '5s', or a number of milliseconds from 100, not -1", true},
		{"duration", `Infinity`, "get: the key must be a time such as '5s', or a number of milliseconds from 100, not Infinity", true},
		{"ttl", `'60s'`, time.Minute, false},
		{"ttl", `'1d'`, 24 * time.Hour, false},
		{"ttl", `0`, time.Duration(0), false},
		{"ttl", `'0'`, time.Duration(0), false},
		{"ttl", `null`, time.Duration(0), false},
		{"ttl", `new Date(Date.now() - 1)`, AtOnce, false},
		{"ttl", `60`, "touch: ttl 60 must say its unit, such as '60s'", true},
		{"ttl", `60000`, "touch: ttl 60000 must say its unit: '60000s', or '60s' if it is milliseconds", true},
		{"ttl", `0.5`, "touch: ttl 0.5 must say its unit, such as '0.5s'", true},
		{"ttl", `'60'`, "touch: ttl 60 must say its unit, such as '60s'", true},
		{"ttl", `-1`, "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not -1", true},
		{"ttl", `'-1s'`, "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not -1s", true},
		{"ttl", `NaN`, "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not NaN", true},
		{"ttl", `new Date(NaN)`, "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not an object (Date)", true},
		{"ttl", `({})`, "touch: the ttl must be a time such as '60s', 0 for never, or a Date, not an object", true},
		{"word", `'b'`, "b", false},
		{"word", `'c'`, "get: the key must be 'a' or 'b', not c", true},
		{"bytes", `'ä'`, "ä", false},
		{"bytes", `new Uint8Array([97, 98]).buffer`, "ab", false},
		{"bytes", `({})`, "get: the key must be a string, an ArrayBuffer or a typed array, not an object", true},
		{"elements", `[1, 2]`, 2, false},
		{"elements", `'ab'`, "get: the keys must be an array, not ab", true},
		{"elements", `new Array(1000001)`, "get: the keys: an array has 1000001 elements: at most 1000000 are allowed", true},
	} {
		value, err := rt.RunString(test.js)
		require.NoError(t, err)
		got, err := readers[test.reader](value)
		if !test.fails {
			require.NoError(t, err, "%v", test)
			require.Equal(t, test.want, got, "%v", test)

			continue
		}
		require.EqualError(t, err, test.want.(string))
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, KindUsage, e.Kind)
	}
}

func TestTTLOfADate(t *testing.T) {
	rt := sobek.New()
	value, err := rt.RunString(`new Date(Date.now() + 90_000)`)
	require.NoError(t, err)
	ttl, err := TTL("touch", "the ttl", value)
	require.NoError(t, err)
	require.InDelta(t, 90, ttl.Seconds(), 60)
	require.LessOrEqual(t, ttl, 90*time.Second)

	for ttl, want := range map[time.Duration]int64{
		0: 0, AtOnce: -1, 1: 1, time.Second: 1, time.Second + 1: 2, time.Hour: 3600, math.MaxInt64: math.MaxInt64/1_000_000_000 + 1,
	} {
		require.Equal(t, want, Seconds(ttl), ttl)
	}
}

// A string is copied into the buffer; binary data is neither copied nor kept as the buffer.
func TestBytesBuffer(t *testing.T) {
	rt := sobek.New()
	buffer := make([]byte, 0, 10)
	text, err := Bytes(rt, "set", "the value", rt.ToValue("abc"), &buffer)
	require.NoError(t, err)
	require.Equal(t, "abc", string(buffer))
	require.Same(t, &buffer[0], &text[0])
	own := []byte("own")
	got, err := Bytes(rt, "set", "the value", rt.ToValue(rt.NewArrayBuffer(own)), &buffer)
	require.NoError(t, err)
	require.Same(t, &own[0], &got[0])
	require.Equal(t, "abc", string(buffer))
}

func TestOptionTable(t *testing.T) {
	type into struct {
		timeout time.Duration
		as      string
	}
	options := Options[into]{
		Into("timeout", func(o *into) *time.Duration { return &o.timeout }, Time),
		{"as", func(o *into, method string, value sobek.Value) (err error) {
			o.as, err = Word(method, "option as", value, "string", "binary")

			return err
		}},
	}
	rt := sobek.New()
	readBy := func(method, js string) (into, error) {
		value, err := rt.RunString(js)
		require.NoError(t, err)
		o := into{as: "default"}
		err = options.Read(method, value, &o)

		return o, err
	}
	read := func(js string) (into, error) { return readBy("get", js) }
	for js, want := range map[string]into{
		`undefined`:                          {as: "default"},
		`null`:                               {as: "default"},
		`({})`:                               {as: "default"},
		`({ as: undefined, timeout: null })`: {as: "default"},
		`({ timeout: 150, as: 'binary' })`:   {150 * time.Millisecond, "binary"},
	} {
		got, err := read(js)
		require.NoError(t, err, js)
		require.Equal(t, want, got, js)
	}
	for js, want := range map[string]string{
		`'binary'`:           "get: options must be an object, not binary",
		`[]`:                 "get: options must be an object, not []",
		`1000`:               "get: options must be an object, such as { timeout: '1s' }, not 1000",
		`({ at: 1 })`:        `get: unknown option "at"; known are timeout, as`,
		`({ timeout: 'x' })`: "get: option timeout must be a time such as '5s', or a number of milliseconds from 100, not x",
		`({ timeout: 5 })`:   "get: timeout 5 could be seconds or milliseconds: write '5s' or '5ms'",
		`({ as: 5 })`:        "get: option as must be 'string' or 'binary', not 5",
		`'a://u:s3cret@h'`:   "get: options must be an object, not a url",
		`'u:s3cret@h'`:       "get: options must be an object, not a url",
	} {
		_, err := read(js)
		require.EqualError(t, err, want, js)
	}
	const elsewhere = "; pass the address and its options to new Client(url, options)"
	for js, want := range map[string]string{
		`'localhost:11211'`:         "connect: options must be an object, not localhost:11211" + elsewhere,
		`'a://u:s3cret@h'`:          "connect: options must be an object, not a url" + elsewhere,
		`({ url: 'a://s3cret@h' })`: `connect: unknown option "url"; known are timeout, as` + elsewhere,
	} {
		_, err := readBy("connect", js)
		require.EqualError(t, err, want, js)
	}
}

func TestTagsInJSON(t *testing.T) {
	var read struct{ Tags Tags }
	require.NoError(t, json.Unmarshal([]byte(`{ "tags": { "n": 5, "a": "x", "hot": true } }`), &read))
	require.Equal(t, [][2]string{{"a", "x"}, {"hot", "true"}, {"n", "5"}}, read.Tags.pairs)
	require.NoError(t, json.Unmarshal([]byte(`{ "tags": null }`), &read))
	require.EqualError(t, json.Unmarshal([]byte(`{ "tags": 5 }`), &read), "option tags must be an object of strings, such as { name: 'login' }, not 5")
	require.EqualError(t, json.Unmarshal([]byte(`{ "tags": { "a": [] } }`), &read), "option tags.a must be a string, not []")
	require.EqualError(t, json.Unmarshal([]byte(`{ "tags": { "op": "x" } }`), &read), "option tags cannot have op, which is a tag of the module's own")
}

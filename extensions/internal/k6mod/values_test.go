package k6mod

import (
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
		want       any // an error's message where the reader fails
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
		{"duration", `-1`, "get: the key must be a number of milliseconds or a string such as '5s', not -1", true},
		{"duration", `Infinity`, "get: the key must be a number of milliseconds or a string such as '5s', not Infinity", true},
		{"word", `'b'`, "b", false},
		{"word", `'c'`, "get: the key must be 'a' or 'b', not c", true},
		{"bytes", `'ä'`, "ä", false},
		{"bytes", `new Uint8Array([97, 98]).buffer`, "ab", false},
		{"bytes", `({})`, "get: the key must be a string, an ArrayBuffer or a typed array, not an object", true},
		{"elements", `[1, 2]`, 2, false},
		{"elements", `'ab'`, "get: the keys must be an array, not ab", true},
		{"elements", `new Array(1000001)`, "get: the keys has 1000001 elements: at most 1000000 are allowed", true},
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

// A string is copied into memory that is used again; the others are not copied, nor is their memory
// taken.
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

func TestOptions(t *testing.T) {
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
	read := func(js string) (into, error) {
		value, err := rt.RunString(js)
		require.NoError(t, err)
		o := into{as: "default"}
		err = options.Read("get", value, &o)

		return o, err
	}
	for js, want := range map[string]into{
		`undefined`:                          {as: "default"},
		`null`:                               {as: "default"},
		`({})`:                               {as: "default"},
		`({ as: undefined, timeout: null })`: {as: "default"},
		`({ timeout: 5, as: 'binary' })`:     {5 * time.Millisecond, "binary"},
	} {
		got, err := read(js)
		require.NoError(t, err, js)
		require.Equal(t, want, got, js)
	}
	for js, want := range map[string]string{
		`'binary'`:           "get: options must be an object, not binary",
		`[]`:                 "get: options must be an object, not []",
		`({ at: 1 })`:        `get: unknown option "at"; known are timeout, as`,
		`({ timeout: 'x' })`: "get: option timeout must be a number of milliseconds or a string such as '5s', not x",
		`({ as: 5 })`:        "get: option as must be 'string' or 'binary', not 5",
	} {
		_, err := read(js)
		require.EqualError(t, err, want, js)
	}
}

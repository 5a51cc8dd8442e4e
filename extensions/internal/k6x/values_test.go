package k6x

import (
	"strings"
	"testing"

	"github.com/grafana/sobek"
	"github.com/stretchr/testify/require"
)

func TestBytes(t *testing.T) {
	const all = `const all = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 255]);`
	for script, want := range map[string]string{
		`'a€'`:                               "a€",
		`''`:                                 "",
		`all`:                                "\x00\x01\x02\x03\x04\x05\x06\x07\x08\xff",
		`all.buffer`:                         "\x00\x01\x02\x03\x04\x05\x06\x07\x08\xff",
		`new ArrayBuffer(0)`:                 "",
		`all.subarray(8)`:                    "\x08\xff",
		`new Uint8ClampedArray([7, 300])`:    "\x07\xff",
		`new Int8Array(all.buffer, 9)`:       "\xff",
		`new Uint16Array(all.buffer, 2, 2)`:  "\x02\x03\x04\x05",
		`new Float64Array(all.buffer, 0, 1)`: "\x00\x01\x02\x03\x04\x05\x06\x07",
		`new DataView(all.buffer, 1, 3)`:     "\x01\x02\x03",
		`new DataView(all.buffer, 10)`:       "",
	} {
		rt := newRuntime()
		value, err := rt.RunString(all + script)
		require.NoError(t, err)
		got, ok := BytesOf(rt, value, []byte("what was here before"))
		require.True(t, ok, script)
		require.Equal(t, want, string(got), script)
	}
}

func TestNoBytes(t *testing.T) {
	for _, script := range []string{
		`undefined`, `null`, `5`, `true`, `10n`, `({})`, `[1, 2]`, `(() => 'x')`, `new Date()`, `Promise.resolve('x')`, `Symbol('x')`,
		`({ buffer: new ArrayBuffer(1), byteOffset: 0, byteLength: 9 })`,
		`Object.defineProperty(new DataView(new ArrayBuffer(4)), 'byteLength', { value: 5 })`,
		`Object.defineProperty(new DataView(new ArrayBuffer(4)), 'byteOffset', { value: Number.MAX_SAFE_INTEGER })`,
		`Object.defineProperty(new DataView(new ArrayBuffer(4)), 'byteOffset', { value: -1 })`,
		`Object.defineProperty(new DataView(new ArrayBuffer(4)), 'buffer', { value: 'x' })`,
		`const view = new DataView(new ArrayBuffer(1)); delete globalThis.ArrayBuffer; view`,
		`const view = new DataView(new ArrayBuffer(1)); ArrayBuffer.isView = 5; view`,
		`const view = new DataView(new ArrayBuffer(1)); ArrayBuffer.isView = () => { throw 'x' }; view`,
	} {
		rt := newRuntime()
		value, err := rt.RunString(script)
		require.NoError(t, err, script)
		_, ok := BytesOf(rt, value, nil)
		require.False(t, ok, script)
	}
}

// A string uses the buffer's memory, binary data its own.
func TestBytesMemory(t *testing.T) {
	rt := newRuntime()
	buffer := make([]byte, 0, 100)
	text, _ := BytesOf(rt, rt.ToValue("text"), buffer)
	require.Same(t, &buffer[:1][0], &text[0])
	raw := []byte{1, 2}
	binary, _ := BytesOf(rt, rt.ToValue(rt.NewArrayBuffer(raw)), buffer)
	require.Same(t, &raw[0], &binary[0])
}

func TestFromBytes(t *testing.T) {
	rt := newRuntime()
	memory := []byte("value")
	text, binary := FromBytes(rt, memory, false), FromBytes(rt, memory, true)
	copy(memory, "other")
	require.Equal(t, "value", text.Export())
	raw, ok := binary.Export().(sobek.ArrayBuffer)
	require.True(t, ok)
	require.Equal(t, "value", string(raw.Bytes()))
}

func TestIsNullish(t *testing.T) {
	rt := newRuntime()
	require.True(t, IsNullish(nil) && IsNullish(sobek.Undefined()) && IsNullish(sobek.Null()))
	require.False(t, IsNullish(rt.ToValue(0)) || IsNullish(rt.ToValue("")) || IsNullish(rt.ToValue(false)))
}

func TestOverride(t *testing.T) {
	number, text := 5, "default"
	Override(&number, 0)
	Override(&text, "")
	require.Equal(t, 5, number)
	require.Equal(t, "default", text)
	Override(&number, -1)
	Override(&text, "x")
	require.Equal(t, -1, number)
	require.Equal(t, "x", text)
}

func TestOneLine(t *testing.T) {
	require.Equal(t, `not "a b"`, OneLine("not %q\n", "a b"))
	require.Equal(t, "not a b", OneLine("not %s", "a\r\n\tb"))
	long := OneLine("%s", strings.Repeat("€", 1000))
	require.Equal(t, strings.Repeat("€", 100)+"...", long)
	long = OneLine("x%s", strings.Repeat("€", 1000))
	require.Equal(t, "x"+strings.Repeat("€", 99)+"...", long, "no half of a character")
}

package machbase

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func argsSeen(t *testing.T) (*vu, *[][]any) {
	t.Helper()
	var seen [][]any
	v := newVU(t, &fakeDriver{query: func(_ *fakeConn, _ string, args []any, read func(Rows) error) error {
		seen = append(seen, args)

		return read(&fakeRows{columns: []Column{{"code", "varchar"}}, rows: [][]any{{"WISH"}}})
	}})
	v.Run(`var client = new machbase.Client()`)

	return v, &seen
}

func TestFrozenParametersAreReadOnce(t *testing.T) {
	v, seen := argsSeen(t)
	v.Run(`
		var params = Object.freeze(['WISH', machbase.bind('datetime', 1000), 100]);
		client.query('x', params); client.query('x', params);
		client.query('x', Object.freeze(['OTHER']));
		client.query('x', params)`)
	want := []any{"WISH", time.UnixMilli(1000), int64(100)}
	require.Equal(t, [][]any{want, want, {"OTHER"}, want}, *seen)
	require.Same(t, &(*seen)[0][0], &(*seen)[1][0], "the second call has read the parameters again")
}

// An array whose content can change is read at every call, even if it is frozen.
func TestMutableArraysAreReadAgain(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   [][]any
	}{
		"an array":        {`var p = ['a']; client.query('x', p); p[0] = 'b'; client.query('x', p)`, [][]any{{"a"}, {"b"}}},
		"a sealed array":  {`var p = Object.seal(['a']); client.query('x', p); p[0] = 'b'; client.query('x', p)`, [][]any{{"a"}, {"b"}}},
		"a date in it":    {`var d = new Date(1000), p = Object.freeze([d]); client.query('x', p); d.setTime(2000); client.query('x', p)`, [][]any{{time.UnixMilli(1000)}, {time.UnixMilli(2000)}}},
		"a frozen date":   {`var d = Object.freeze(new Date(1000)), p = Object.freeze([d]); client.query('x', p); d.setTime(2000); client.query('x', p)`, [][]any{{time.UnixMilli(1000)}, {time.UnixMilli(2000)}}},
		"a buffer in it":  {`var b = new Uint8Array([1]).buffer, p = Object.freeze([b]); client.query('x', p); client.query('x', p)`, [][]any{{[]byte{1}}, {[]byte{1}}}},
		"another of same": {`client.query('x', Object.freeze([1])); client.query('x', Object.freeze([2]))`, [][]any{{int64(1)}, {int64(2)}}},
	} {
		t.Run(name, func(t *testing.T) {
			v, seen := argsSeen(t)
			v.Run(c.script)
			require.Len(t, *seen, 2)
			for i, want := range c.want {
				for j := range want {
					if at, ok := want[j].(time.Time); ok {
						require.True(t, at.Equal((*seen)[i][j].(time.Time)))
					} else {
						require.Equal(t, want[j], (*seen)[i][j])
					}
				}
			}
		})
	}
}

func TestOptionsThatCanChangeAreReadAgain(t *testing.T) {
	v, _ := argsSeen(t)
	v.Run(`var expect = { code: 'WISH' }, options = Object.freeze({ rows: 'discard', expect })`)
	require.Equal(t, int64(1), v.Run(`client.query('x', [], options)`))
	v.Run(`expect.code = 'OTHER'`)
	require.Equal(t, kindExpect, v.fail(`client.query('x', [], options)`).Kind)

	v.Run(`var frozen = Object.freeze({ rows: 'discard', expect: Object.freeze({ code: 'OTHER' }) })`)
	for range 2 {
		require.Equal(t, kindExpect, v.fail(`client.query('x', [], frozen)`).Kind)
	}
}

func TestParametersThatHoldThemselves(t *testing.T) {
	v, seen := argsSeen(t)
	v.Run(`const params = ['WISH']; params.self = params; Object.freeze(params); client.query('x', params); client.query('x', params)`)
	require.Equal(t, [][]any{{"WISH"}, {"WISH"}}, *seen)
}

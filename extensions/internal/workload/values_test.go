package workload_test

import (
	"bytes"
	"compress/flate"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/internal/workload"
)

func values(tb testing.TB, seed uint64, sizes ...workload.SizeRange) *workload.Values {
	tb.Helper()
	options := workload.Defaults()
	options.Iterations, options.Seed, options.Values = 1, seed, sizes
	w, err := workload.New(options)
	require.NoError(tb, err)

	return w.Values()
}

func between(least, most int) workload.SizeRange {
	return workload.SizeRange{Min: least, Max: most, Weight: 1}
}

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		keys workload.Keys
		i    int
		want string
	}{
		{workload.Keys{Prefix: "key:"}, 0, "key:000000000000"},
		{workload.Keys{Prefix: "key:"}, 999_999_999_999, "key:999999999999"},
		{workload.Keys{Prefix: "", Size: 3}, 7, "007"},
		{workload.Keys{Prefix: "a", Size: 2}, 7, "a7"},
	} {
		require.Equal(t, test.want, string(test.keys.Append(nil, test.i)))
	}
	long := workload.Keys{Prefix: "p", Size: 250}
	require.Len(t, long.Append([]byte("x"), 12), 251, "appended")
}

// A change of values would invalidate values already in a cache.
func TestValuesNeverChange(t *testing.T) {
	v := values(t, 1, between(24, 24))
	for i, want := range []string{"Eewo0HWQb5fQp9_0EdJISrWs", "d46fYuz_wBi1m2SHF3SJEI0e", "RzWCws72zZlK_RB1joBJ3FXW"} {
		require.Equal(t, want, string(v.Append(nil, i)))
	}
	v = values(t, 1, between(0, 1000))
	sizes := []int{v.Size(0), v.Size(1), v.Size(2)}
	require.Equal(t, []int{423, 474, 50}, sizes)
}

func TestValuesAreTheSameForAll(t *testing.T) {
	small := values(t, 7, between(0, 300))
	large := values(t, 7, between(0, 300), workload.SizeRange{Min: 1_000_000, Max: 1_000_000, Weight: 1e-9})
	own := values(t, 7, between(0, 300))
	other := values(t, 8, between(0, 300))
	for i := range 10_000 {
		value := small.Append([]byte{}, i)
		require.Equal(t, value, own.Append([]byte("x"), i)[1:])
		require.Equal(t, value, large.Append([]byte{}, i))
		require.Len(t, value, own.Size(i))
		require.NoError(t, own.Verify(i, value))
		if len(value) >= 11 && other.Verify(i, value) == nil {
			t.Fatal("another seed has other values")
		}
	}
}

// Tags of 11 bytes or more are unique.
func TestValuesTellKeysApart(t *testing.T) {
	v := values(t, 1, between(11, 11))
	seen := map[string]bool{}
	for i := range 200_000 {
		seen[string(v.Append(nil, i))] = true
	}
	require.Len(t, seen, 200_000)

	v = values(t, 1, between(100, 100))
	for i := range 1000 {
		require.ErrorIs(t, v.Verify(i, v.Append(nil, i+1)), workload.ErrWrongKey)
	}
}

func TestVerify(t *testing.T) {
	for _, size := range []int{1, 5, 11, 12, 13, 300} {
		v := values(t, 3, between(size, size))
		value := v.Append(nil, 5)
		require.NoError(t, v.Verify(5, value))
		require.ErrorIs(t, v.Verify(5, value[1:]), workload.ErrWrongSize)
		require.ErrorIs(t, v.Verify(5, append(bytes.Clone(value), 'x')), workload.ErrWrongSize)
		for at := range value {
			spoilt := bytes.Clone(value)
			spoilt[at] ^= 1
			want := workload.ErrWrongKey
			if at >= 11 {
				want = workload.ErrWrongBytes
			}
			require.ErrorIs(t, v.Verify(5, spoilt), want)
			require.ErrorIs(t, v.Verify(5, spoilt), workload.ErrWrongValue)
		}
	}
	empty := values(t, 3, between(0, 0))
	require.Empty(t, empty.Append(nil, 1))
	require.NoError(t, empty.Verify(1, nil))
	require.ErrorIs(t, empty.Verify(1, []byte("x")), workload.ErrWrongSize)
}

func TestSizes(t *testing.T) {
	const n = 400_000
	count := func(v *workload.Values, most int) []int {
		counts := make([]int, most+1)
		for i := range n {
			counts[v.Size(i)]++
		}

		return counts
	}
	fits(t, count(values(t, 1, between(3, 102)), 102), func(size int) float64 {
		if size < 3 {
			return 0
		}

		return 0.01
	})
	weighted := count(values(t, 1, workload.SizeRange{Min: 1, Max: 1, Weight: 5}, workload.SizeRange{Min: 2, Max: 2, Weight: 0.5},
		workload.SizeRange{Min: 9, Max: 9, Weight: 2.5}), 9)
	fits(t, []int{weighted[1], weighted[2], weighted[9]}, func(i int) float64 { return []float64{5.0 / 8, 0.5 / 8, 2.5 / 8}[i] })
	require.Equal(t, n, weighted[1]+weighted[2]+weighted[9])
}

func TestValuesDoNotCompress(t *testing.T) {
	v := values(t, 1, between(60_000, 60_000))
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	require.NoError(t, err)
	_, err = w.Write(v.Append(nil, 1))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.Greater(t, out.Len(), 44_000)
}

func TestGenerationDoesNotAllocate(t *testing.T) {
	keys := workload.Keys{Prefix: "key:"}
	v := values(t, 1, between(10, 1000), workload.SizeRange{Min: 2000, Max: 2000, Weight: 1})
	key, value, i := make([]byte, 0, 20), make([]byte, 0, 2000), 0
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		key, value = keys.Append(key[:0], i), v.Append(value[:0], i)
		if v.Verify(i, value) != nil {
			t.Fatal("not its own value")
		}
		i++
	}))
}

func FuzzVerify(f *testing.F) {
	v := values(f, 1, between(0, 40))
	for i := range 4 {
		f.Add(i, v.Append(nil, i))
		f.Add(i, v.Append(nil, i+1))
	}
	f.Add(-1, []byte(nil))
	f.Fuzz(func(t *testing.T, i int, value []byte) {
		require.Equal(t, bytes.Equal(value, v.Append(nil, i)), v.Verify(i, value) == nil)
	})
}

func BenchmarkKeyAndValue(b *testing.B) {
	for _, size := range []int{10, 100, 1000, 100_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			keys := workload.Keys{Prefix: "key:"}
			v := values(b, 1, between(size, size))
			key, value, i := make([]byte, 0, 20), make([]byte, 0, size), 0
			b.ReportAllocs()
			for b.Loop() {
				key, value = keys.Append(key[:0], i), v.Append(value[:0], i)
				i++
			}
		})
	}
}

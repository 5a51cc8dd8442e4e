package measure

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
)

func TestDecodeOfEncode(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3000} {
		for name, durations := range shapes(n) {
			if n > 0 {
				durations = append(durations, 0, 5*time.Hour)
			}
			d := distribution(durations)
			encoded := d.Encode()
			back, err := Decode(encoded)
			require.NoError(t, err, name)

			require.Equal(t, d.Count, back.Count, name)
			require.Equal(t, d.counts, back.counts, name)
			back.SetExact(d.Max, d.Mean())
			require.Equal(t, d.Max, back.Max, name)
			require.Equal(t, d.Mean(), back.Mean(), name)
			for i := range 101 {
				require.Equal(t, d.Quantile(float64(i)/100), back.Quantile(float64(i)/100), "%s at %d %%", name, i)
			}
			again := back.Encode()
			require.Equal(t, encoded, again, name)

			h := hdrhistogram.New(1, int64(Highest), digits)
			for i, c := range d.counts {
				if lowest, _ := valueRange(i); c != 0 {
					require.NoError(t, h.RecordValues(lowest, int64(c)))
				}
			}
			theirs, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			require.NoError(t, err)
			require.Equal(t, string(theirs), encoded, "as the HdrHistogram project's own library writes it")
		}
	}
}

// Without SetExact, figures have the counters' resolution.
func TestDecodedMinMaxAndSum(t *testing.T) {
	const fine = 1.0 / 1024
	for name, durations := range shapes(2000) {
		t.Run(name, func(t *testing.T) {
			d := distribution(durations)
			back := decoded(t, d)
			require.LessOrEqual(t, back.Min, d.Min)
			require.GreaterOrEqual(t, back.Max, d.Max)
			require.InDelta(t, float64(d.Min), float64(back.Min), fine*float64(d.Min))
			require.InDelta(t, float64(d.Max), float64(back.Max), fine*float64(d.Max))
			require.InDelta(t, float64(d.Sum), float64(back.Sum), fine*float64(d.Sum))
		})
	}
}

func decoded(t *testing.T, d *Distribution) *Distribution {
	t.Helper()
	encoded := d.Encode()
	back, err := Decode(encoded)
	require.NoError(t, err)

	return &back
}

func TestMergeOfDecoded(t *testing.T) {
	for name, durations := range shapes(2000) {
		t.Run(name, func(t *testing.T) {
			whole, merged := distribution(durations), &Distribution{}
			for _, part := range [][]time.Duration{durations[:700], durations[700:701], durations[701:]} {
				d := distribution(part)
				back := decoded(t, d)
				back.SetExact(d.Max, d.Mean())
				merged.Merge(back)
			}
			require.Equal(t, whole.Count, merged.Count)
			require.Equal(t, whole.counts, merged.counts)
			require.Equal(t, whole.Max, merged.Max)
			require.InDelta(t, float64(whole.Sum), float64(merged.Sum), float64(whole.Count), "a mean is a whole nanosecond")
			for _, q := range []float64{0, 0.5, 0.99, 1} {
				require.Equal(t, whole.Quantile(q), merged.Quantile(q), "%g", q)
			}
		})
	}
}

func TestSetExact(t *testing.T) {
	var empty Distribution
	empty.SetExact(time.Second, time.Second)
	require.Equal(t, Distribution{}, empty)

	d := distribution([]time.Duration{1000, 3000})
	d.SetExact(3001, 2000)
	require.Equal(t, []time.Duration{1000, 3001, 4000}, []time.Duration{d.Min, d.Max, d.Sum})
	d.SetExact(900, math.MaxInt64)
	require.Equal(t, []time.Duration{900, 900, math.MaxInt64}, []time.Duration{d.Min, d.Max, d.Sum}, "no overflow")
}

// Decode reads hdrhistogram-go's output in any range.
func TestDecodeOfHDR(t *testing.T) {
	for _, tt := range []struct {
		name            string
		lowest, highest int64
	}{
		{"as Encode writes", 1, int64(Highest)},
		{"a longer range", 1, math.MaxInt64},
		{"a shorter range", 1, int64(time.Minute)},
	} {
		for name, durations := range shapes(3000) {
			h := hdrhistogram.New(tt.lowest, tt.highest, 3)
			for _, d := range durations {
				require.NoError(t, h.RecordValue(min(int64(d), tt.highest)))
			}
			encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
			require.NoError(t, err)
			d, err := Decode(string(encoded))
			require.NoError(t, err, "%s, %s", tt.name, name)
			require.Equal(t, h.TotalCount(), d.Count)
			for _, q := range []float64{0.5, 0.9, 0.99, 1} {
				want := h.ValueAtQuantile(q * 100)
				_, highest := valueRange(index(want))
				require.Equal(t, highest, int64(d.Quantile(q)), "%s, %s, q=%g", tt.name, name, q)
			}
			require.InEpsilon(t, h.Mean(), float64(d.Mean()), 0.001, "%s, %s", tt.name, name)
		}
	}
}

// The cookies and the header of HdrHistogram's format V2.
const (
	compressedCookie = 0x1c849304
	plainCookie      = 0x1c849303
	outerHeader      = 8
)

type hand struct {
	outer, inner    uint32
	length, payload int // added to the correct values
	figures         uint32
	lowest, highest int64
	ratio           float64
	counters        []byte
	after           []byte
}

func (h hand) encode() string {
	var plain bytes.Buffer
	for _, v := range []any{
		h.inner, uint32(len(h.counters) + h.payload), uint32(0), h.figures, h.lowest, h.highest, h.ratio, h.counters,
	} {
		_ = binary.Write(&plain, binary.BigEndian, v)
	}
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	_, _ = z.Write(plain.Bytes())
	_ = z.Close()
	compressed.Write(h.after)

	return pack(h.outer, compressed.Len()+h.length, compressed.Bytes())
}

func pack(cookie uint32, length int, rest []byte) string {
	raw := binary.BigEndian.AppendUint32(nil, cookie)
	raw = binary.BigEndian.AppendUint32(raw, uint32(length))

	return base64.StdEncoding.EncodeToString(append(raw, rest...))
}

func made(change func(*hand)) string {
	h := hand{
		outer: compressedCookie | 0x10, inner: plainCookie | 0x10, figures: 3, lowest: 1, highest: int64(Highest), ratio: 1,
		counters: counterBytes(-100, 3), // 3 times 100 ns
	}
	if change != nil {
		change(&h)
	}

	return h.encode()
}

func counterBytes(numbers ...int64) []byte {
	var out []byte
	for _, n := range numbers {
		v := uint64(n<<1) ^ uint64(n>>63)
		for i := 0; i < 8 && v > 0x7f; i++ {
			out = append(out, byte(v)|0x80)
			v >>= 7
		}
		out = append(out, byte(v))
	}

	return out
}

func TestDecodeByHand(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(*hand)
		count    int64
		min, max time.Duration
		sum      time.Duration
	}{
		{"as it should be", nil, 3, 100, 100, 300},
		{"no digit for the width of a counter", func(h *hand) { h.outer, h.inner = compressedCookie, plainCookie }, 3, 100, 100, 300},
		{"a lowest value of 0", func(h *hand) { h.lowest = 0 }, 3, 100, 100, 300},
		{"nothing", func(h *hand) { h.counters = nil }, 0, 0, 0, 0},
		{"only zeros", func(h *hand) { h.counters = counterBytes(0, 0, -5) }, 0, 0, 0, 0},
		{"zeros to the end", func(h *hand) { h.counters = counterBytes(0, 7, 0, -counters+3) }, 7, 1, 1, 7},
		{"as many as can be", func(h *hand) { h.counters = counterBytes(0, maxCount-1, 1) }, maxCount, 1, 2, maxCount + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Decode(made(tt.change))
			require.NoError(t, err)
			require.Equal(t, tt.count, d.Count)
			require.InDelta(t, float64(tt.sum), float64(d.Sum), 1)
			require.Equal(t, []time.Duration{tt.min, tt.max}, []time.Duration{d.Min, d.Max})
		})
	}
}

// The sum does not overflow.
func TestDecodeOfTooLongASum(t *testing.T) {
	d, err := Decode(made(func(h *hand) { h.counters = counterBytes(-33_000, maxCount) }))
	require.NoError(t, err)
	require.Equal(t, time.Duration(math.MaxInt64), d.Sum)
	require.Positive(t, d.Mean())
}

func TestDecodeRefuses(t *testing.T) {
	good := made(nil)
	for _, tt := range []struct{ name, encoded, want string }{
		{"nothing", "", "got 0 bytes"},
		{"no base64", "HIST FAAA", "illegal base64 data at input byte 4"},
		{"no padding", strings.TrimRight(pack(compressedCookie, 0, nil), "="), "illegal base64"},
		{"far too long", strings.Repeat("A", maxEncoded+4), "more than any has"},
		{"another cookie", made(func(h *hand) { h.outer = 0x1c849301 }), "only V2 is supported"},
		{"not compressed", made(func(h *hand) { h.outer = plainCookie | 0x10 }), "only V2 is supported"},
		{"a length that is too low", made(func(h *hand) { h.length = -1 }), "unexpected EOF"},
		{"a length that is too high", made(func(h *hand) { h.length = 1 }), "smaller than the lengthOfCompressedContents"},
		{"a negative length", made(func(h *hand) { h.length = math.MinInt32 }), "negative lengthOfCompressedContents"},
		{"no zlib", pack(compressedCookie, 4, []byte("zlib")), "zlib: invalid header"},
		{"zlib cut off", cutOff(t, good, 6), "EOF"},
		{"a wrong checksum", wrongChecksum(t, good), "zlib: invalid checksum"},
		{"a bomb", bomb(t), "only V2 is supported"},
		{"half a header", halfHeader(t), "got 20 bytes, need at least 40"},
		{"another cookie inside", made(func(h *hand) { h.inner = 0x1c849301 }), "only V2 is supported"},
		{"more counters than it says", made(func(h *hand) { h.payload = -1 }), "PayloadLength"},
		{"fewer counters than it says", made(func(h *hand) { h.payload = 1000 }), "PayloadLength"},
		{"two digits", made(func(h *hand) { h.figures = 2 }), "has 2 digits from 1 ns on, and not 3"},
		{"minus one digit", made(func(h *hand) { h.figures = math.MaxUint32 }), "got -1"},
		{"units of 4 ns", made(func(h *hand) { h.lowest = 7 }), "has 3 digits from 7 ns on"},
		{"a lowest value that is too high", made(func(h *hand) { h.lowest = math.MaxInt64 }), "is too large"},
		{"a counter cut off", made(func(h *hand) { h.counters = []byte{0x80, 0x80} }), "not an HDR histogram"},
		{"a counter too many", made(func(h *hand) { h.counters = counterBytes(-counters, 1) }), "counts length 33792"},
		{"zeros too many", made(func(h *hand) { h.counters = counterBytes(1, -counters) }), "counts length 33792"},
		{"the most zeros", made(func(h *hand) { h.counters = counterBytes(math.MinInt64) }), "counts length 33792"},
		{"beyond its own range", made(func(h *hand) { h.highest, h.counters = 2000, counterBytes(-2048, 1) }), "counts length 2048"},
		{"beyond 1 h", made(func(h *hand) { h.highest, h.counters = math.MaxInt64, counterBytes(-40_000, 1) }), "more than 1h0m0s"},
		{"too many", made(func(h *hand) { h.counters = counterBytes(maxCount, 1) }), "more than 9007199254740992 durations"},
		{"far too many", made(func(h *hand) { h.counters = counterBytes(math.MaxInt64, math.MaxInt64) }), "more than 9007199254740992 durations"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Decode(tt.encoded)
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "\n")
			require.Equal(t, Distribution{}, d)
		})
	}
}

func rawOf(t *testing.T, encoded string) []byte {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(encoded)
	require.NoError(t, err)

	return raw
}

func cutOff(t *testing.T, encoded string, bytes int) string {
	t.Helper()
	raw := rawOf(t, encoded)
	rest := raw[outerHeader : len(raw)-bytes]

	return pack(compressedCookie, len(rest), rest)
}

func wrongChecksum(t *testing.T, encoded string) string {
	t.Helper()
	raw := rawOf(t, encoded)
	raw[len(raw)-1] ^= 1

	return base64.StdEncoding.EncodeToString(raw)
}

func halfHeader(t *testing.T) string {
	t.Helper()

	return deflated(t, make([]byte, 20))
}

func bomb(t *testing.T) string {
	t.Helper()
	encoded := deflated(t, make([]byte, 16<<20))
	require.Less(t, len(encoded), 100_000)

	return encoded
}

func deflated(t *testing.T, plain []byte) string {
	t.Helper()
	var compressed bytes.Buffer
	z := zlib.NewWriter(&compressed)
	_, err := z.Write(plain)
	require.NoError(t, err)
	require.NoError(t, z.Close())

	return pack(compressedCookie, compressed.Len(), compressed.Bytes())
}

func TestDecodeAllocatesLittle(t *testing.T) {
	hostile := bomb(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Decode(hostile)
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
}

// The largest incompressible histogram can be read.
func TestDecodeOfTheLargest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	h := hdrhistogram.New(1, math.MaxInt64, 3)
	for i := range index(int64(Highest)) {
		lowest, _ := valueRange(i)
		require.NoError(t, h.RecordValues(lowest, r.Int64N(maxCount/counters)))
	}
	encoded, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	require.NoError(t, err)
	d, err := Decode(string(encoded))
	require.NoError(t, err)
	require.Equal(t, h.TotalCount(), d.Count)
}

// hdrhistogram-go accepts what Decode accepts, with the same counters, and Encode reproduces it.
func FuzzDecode(f *testing.F) {
	for _, durations := range shapes(50) {
		encoded := distribution(durations).Encode()
		f.Add(encoded)
	}
	f.Add("")
	f.Add("HISTFAAAAA==")
	f.Add(made(nil))
	f.Add(made(func(h *hand) { h.counters = counterBytes(math.MinInt64) }))
	f.Add(made(func(h *hand) { h.counters = counterBytes(-33000, maxCount) }))
	f.Fuzz(func(t *testing.T, encoded string) {
		d, err := Decode(encoded)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")

			return
		}
		requireSameAsHDR(t, encoded, &d)
		again := d.Encode()
		back, err := Decode(again)
		require.NoError(t, err)
		require.Equal(t, d.counts, back.counts)
	})
}

// FuzzDecodePlain compresses its input to reach the inner format.
func FuzzDecodePlain(f *testing.F) {
	f.Add(int64(1), int64(Highest), counterBytes(-100, 3))
	f.Add(int64(1), int64(math.MaxInt64), counterBytes(5, 0, -2000, 1<<40))
	f.Add(int64(1), int64(2000), counterBytes(math.MinInt64, math.MaxInt64))
	f.Fuzz(func(t *testing.T, lowest, highest int64, raw []byte) {
		encoded := made(func(h *hand) { h.lowest, h.highest, h.counters = lowest, highest, raw })
		d, err := Decode(encoded)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")

			return
		}
		requireSameAsHDR(t, encoded, &d)
	})
}

func requireSameAsHDR(t *testing.T, encoded string, d *Distribution) {
	t.Helper()
	h, err := hdrhistogram.Decode([]byte(encoded))
	require.NoError(t, err)
	require.Equal(t, h.TotalCount(), d.Count)
	require.LessOrEqual(t, d.Min, d.Max)
	if d.Count > 0 {
		requireSameCounts(t, h, d)
	}
}

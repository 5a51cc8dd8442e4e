package wire

import (
	"fmt"
	"hash/fnv"
	"testing"

	"github.com/stretchr/testify/require"
)

// Servers, keys and results are from libmemcached's tests of weighted ketama.
func TestKetamaAsLibmemcached(t *testing.T) {
	weights := []int{600, 300, 200, 350, 1000, 800, 950, 100}
	servers := make([]Server, len(weights))
	for i, weight := range weights {
		servers[i] = Server{fmt.Sprintf("10.0.1.%d:11211", i+1), weight}
	}
	k := NewKetama(servers)
	for key, want := range map[string]int{
		`SVa_]_V41)`: 7, `*/Z;?V(.\8`: 1, `30C1*Z*S/_`: 2, `ERR:EC58G>`: 7, `1I=cTMNTKF`: 5, "]VG<`I*Z8)": 5,
		"UUTC`-V159": 5, `@7RU6C6T+Z`: 5, `/XLN0@+36;`: 1, "4(`X;\\V.^c": 1, `726bW=9*a4`: 7, `P1[Ma3=K1/`: 8,
		`C89I.-V?cT`: 8, `D[HE+cFXDK`: 3, `P1L?NAB[)K`: 1, `cDT0)Z5P6,`: 5, `\39DKW^)N_`: 3, `EM75N0+[X1`: 4,
		"`,SS]NBP,b": 1, "(,>E`)FT\\4": 2, "6,cEI`F_P>": 6, `c,5AQ/T5)6`: 8, `XY\X::LX50`: 6,
		`]\.UH8_0a1`: 4, `8*6a;Sc*X+`: 2, `?@12R<=1BH`: 8, `UNHVP..^8H`: 4, `M/HV^_HZ4O`: 7, `1S/:aJ[1(;`: 2,
		`[>RZHG97Q9`: 6, `0OZH^9BKM[`: 8, `CTR74,J+N.`: 8, `VD6D0]ba_\`: 1, `\MQ_XNT7L-`: 7, `FL;\GWacaV`: 4,
	} {
		require.Equal(t, want, k.Pick([]byte(key))+1, key)
	}
}

func TestKetamaKeepsMostKeysWhenAServerGoes(t *testing.T) {
	var servers []Server
	for i := range 5 {
		servers = append(servers, Server{fmt.Sprintf("cache-%d:11311", i), 1})
	}
	all, fewer := NewKetama(servers), NewKetama(servers[:4])
	require.Len(t, all.points, 5*160)
	counts := make([]int, 5)
	for i := range 10_000 {
		key := fmt.Appendf(nil, "key-%d", i)
		server := all.Pick(key)
		counts[server]++
		if server != 4 {
			require.Equal(t, server, fewer.Pick(key), "a key moved between servers that both stayed")
		}
	}
	for server, n := range counts {
		require.InDelta(t, 2000, n, 600, "server %d", server)
	}
}

func TestKetamaName(t *testing.T) {
	bare, full := NewKetama([]Server{{"a", 1}, {"b", 1}}), NewKetama([]Server{{"a:11211", 1}, {"b:11211", 1}})
	other := NewKetama([]Server{{"a:11212", 1}, {"b:11212", 1}})
	require.Equal(t, bare, full)
	require.NotEqual(t, bare, other)

	six, plain := NewKetama([]Server{{"[::1]:11211", 1}, {"[::1]:11212", 1}}), NewKetama([]Server{{"::1", 1}, {"::1:11212", 1}})
	require.Equal(t, plain, six, "libmemcached's hosts have no brackets")
}

func TestJump(t *testing.T) {
	for _, test := range []struct {
		key           uint64
		buckets, want int
	}{{1, 1, 0}, {42, 57, 43}, {0xDEAD10CC, 1, 0}, {0xDEAD10CC, 666, 361}, {256, 1024, 520}} {
		require.Equal(t, test.want, jump(test.key, test.buckets), test)
	}
}

func TestJumpMovesKeysToTheNewServerOnly(t *testing.T) {
	for i := range 10_000 {
		key := fmt.Appendf(nil, "key-%d", i)
		before, after := NewJump(7).Pick(key), NewJump(8).Pick(key)
		require.Contains(t, []int{before, 7}, after)
	}
}

func TestFNV(t *testing.T) {
	for _, text := range []string{"", "a", "foobar", "\x00\xff"} {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		require.Equal(t, h.Sum64(), fnv1a([]byte(text)), "%q", text)
	}
}

func TestPickAllocatesNothing(t *testing.T) {
	key := []byte("some key")
	for _, p := range []Picker{NewJump(5), NewKetama([]Server{{"a:1", 1}, {"b:1", 1}})} {
		require.Zero(t, testing.AllocsPerRun(100, func() { p.Pick(key) }))
	}
}

package wire_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xk6-sweep/xk6-sweep/extensions/umemcache/wire"
)

// Hashes and threads are from the official client (dcf5ff3).
func TestHashAndThread(t *testing.T) {
	for _, test := range []struct {
		key      string
		h1, h2   uint64
		of4, of8 int
	}{
		{"", 0x761a5f4b802751c3, 0xfdfd222f4f08fe6d, 1, 3},
		{"a", 0xc687abab3e9b912a, 0xa56ed6e997c0f569, 3, 6},
		{"hello", 0xe4a76195f1cd9107, 0xd0eff47332bd72da, 3, 7},
		{"k1", 0x1c238071e08e37bc, 0x13eb170fcc945884, 0, 0},
		{"key:0", 0xddbfa18f240e42b2, 0x8be3beeb0039a6ac, 3, 6},
		{"key:2", 0x6bf7f477f49ef2ed, 0xe5820829353c36e0, 1, 3},
		{"0123456789abcdef", 0x9fd86131bbd34576, 0x85602f69a4435895, 2, 4},
		{"0123456789abcdef0", 0xc44dde64f2e7dc72, 0xb9e4a41b1da73b6e, 3, 6},
	} {
		h1, h2 := wire.Hash([]byte(test.key))
		require.Equal(t, test.h1, h1, test.key)
		require.Equal(t, test.h2, h2, test.key)
		require.Equal(t, test.of4, wire.G3.Thread(h1, 4), test.key)
		require.Equal(t, test.of8, wire.G3.Thread(h1, 8), test.key)
	}
}

func TestThreadAndPlace(t *testing.T) {
	const h1, h2 = 0x1c238071e08e37bd, 0x13eb170fcc945886
	require.Equal(t, 1, wire.G1.Thread(h1, 4))
	require.Equal(t, 5, wire.G2.Thread(h1, 8))
	require.Equal(t, 0, wire.G3.Thread(h1, 8))

	for _, test := range []struct {
		g              wire.Generation
		member, thread int
	}{
		{wire.G1, 0xbd % 32 / 4, 1},
		{wire.G2, 6, 1},
		{wire.G3, 6, 0},
	} {
		member, thread := test.g.Place(h1, h2, 8, 4)
		require.Equal(t, test.member, member, test.g)
		require.Equal(t, test.thread, thread, test.g)
	}
}

func TestParseGeneration(t *testing.T) {
	for _, g := range []wire.Generation{wire.G1, wire.G2, wire.G3} {
		parsed, err := wire.ParseGeneration(g.String())
		require.NoError(t, err)
		require.Equal(t, g, parsed)
	}
	for _, name := range []string{"", "G0", "G4", "g3", "3"} {
		_, err := wire.ParseGeneration(name)
		require.EqualError(t, err, `generation must be "G1", "G2" or "G3", not "`+name+`"`)
	}
}

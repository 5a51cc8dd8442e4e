package wire

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/twmb/murmur3"
)

// Generation is one of umem-cache's three protocols. Nothing in the protocol identifies it: a
// client with the wrong one waits for answers that never come, or asks the wrong threads.
type Generation int

// The generations, with the server's first commit of each.
const (
	G1 Generation = iota + 1 // 53f97eb (2025-12-22): big-endian, fills are acknowledged
	G2                       // 855aee6 (2026-06-18): big-endian, fills are not acknowledged
	G3                       // 32cedee (2026-07-09): little-endian, fills are not acknowledged
)

// ParseGeneration parses "G1", "G2" or "G3".
func ParseGeneration(name string) (Generation, error) {
	for g := G1; g <= G3; g++ {
		if name == g.String() {
			return g, nil
		}
	}

	return 0, fmt.Errorf("generation must be \"G1\", \"G2\" or \"G3\", not %q", name)
}

// String returns "G1", "G2" or "G3".
func (g Generation) String() string { return fmt.Sprintf("G%d", int(g)) }

type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func (g Generation) order() byteOrder {
	if g == G3 {
		return binary.LittleEndian
	}

	return binary.BigEndian
}

func (g Generation) acknowledgesFill() bool { return g == G1 }

// Thread returns the thread of a key with this hash. It is a convention of the clients: the server
// stores a key in the thread that receives it.
func (g Generation) Thread(h1 uint64, threads int) int {
	if g == G3 {
		thread, _ := bits.Mul64(h1, uint64(threads))

		return int(thread)
	}

	return int(h1 % uint64(threads))
}

// Place returns the cluster member and its thread for a key with this hash. members is a power of
// two.
func (g Generation) Place(h1, h2 uint64, members, threads int) (member, thread int) {
	if g == G1 {
		i := int(h1 % uint64(members*threads))

		return i / threads, i % threads
	}

	return int(h2 & uint64(members-1)), g.Thread(h1, threads)
}

// seed is the clients' seed for MurmurHash3_x64_128.
const seed = 74

// Hash returns MurmurHash3_x64_128 of a key (in a cluster: without its prefix).
func Hash(key []byte) (h1, h2 uint64) { return murmur3.SeedSum128(seed, seed, key) }

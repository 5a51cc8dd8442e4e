package wire

import (
	"cmp"
	"crypto/md5" //nolint:gosec // ketama is defined with it; not for secrets
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Picker chooses the server of a key. It is safe for concurrent use.
type Picker interface {
	// Pick returns the index of the key's server.
	Pick(key []byte) int
}

// Server is one of the servers of a Ketama.
type Server struct {
	Address string // host:port
	Weight  int    // share of the keys, relative to the other servers
}

// Ketama is libmemcached's consistent hashing with MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED and MD5,
// which the clients of PHP, Ruby and Python's pylibmc use too. A server of average weight has 160
// points, four from each MD5 sum of "host:port-number"; the port 11211 is left out. A key belongs
// to the first point at or after its own sum. Adding or removing a server moves only its own share
// of the keys.
type Ketama struct {
	points []point
}

type point struct {
	hash   uint32
	server int
}

const (
	sumsPerServer = 40
	pointsPerSum  = 4
	defaultPort   = ":11211"
)

// NewKetama returns the hashing for these servers, at least one.
func NewKetama(servers []Server) *Ketama {
	total := 0
	for _, s := range servers {
		total += s.Weight
	}
	k := &Ketama{points: make([]point, 0, len(servers)*sumsPerServer*pointsPerSum)}
	for i, s := range servers {
		// Single precision, as in libmemcached, so that shares round the same way.
		share := float32(s.Weight) / float32(total)
		sums := int(math.Floor(float64(share*sumsPerServer*float32(len(servers)) + 0.0000000001)))
		name := nameOf(s.Address) + "-"
		for n := range sums {
			sum := md5.Sum(strconv.AppendInt([]byte(name), int64(n), 10)) //nolint:gosec // as above
			for part := range pointsPerSum {
				k.points = append(k.points, point{binary.LittleEndian.Uint32(sum[4*part:]), i})
			}
		}
	}
	slices.SortStableFunc(k.points, func(a, b point) int { return cmp.Compare(a.hash, b.hash) })

	return k
}

// nameOf returns libmemcached's name of a server: IPv6 addresses have no brackets.
func nameOf(address string) string {
	name := strings.TrimSuffix(address, defaultPort)
	if host, rest, ok := strings.Cut(name, "]"); ok && strings.HasPrefix(host, "[") {
		return host[1:] + rest
	}

	return name
}

// Pick implements Picker.
func (k *Ketama) Pick(key []byte) int {
	sum := md5.Sum(key) //nolint:gosec // as above
	hash := binary.LittleEndian.Uint32(sum[:])
	i, _ := slices.BinarySearchFunc(k.points, hash, func(p point, hash uint32) int { return cmp.Compare(p.hash, hash) })
	if i == len(k.points) {
		i = 0
	}

	return k.points[i].server
}

// Jump is the jump consistent hash of Lamping and Veach ("A Fast, Minimal Memory, Consistent Hash
// Algorithm", 2014), applied to the key's 64-bit FNV-1a hash. It needs no memory and spreads keys
// evenly. Servers can be added and removed only at the end of the list.
type Jump int

// NewJump returns the hashing for this many servers, at least one.
func NewJump(servers int) Jump { return Jump(servers) }

// Pick implements Picker.
func (j Jump) Pick(key []byte) int { return jump(fnv1a(key), int(j)) }

func jump(key uint64, buckets int) int {
	bucket, next := int64(-1), int64(0)
	for next < int64(buckets) {
		bucket = next
		key = key*2862933555777941757 + 1
		next = int64(float64(bucket+1) * (float64(int64(1)<<31) / float64((key>>33)+1)))
	}

	return int(bucket)
}

// fnv1a is New64a of hash/fnv without its allocation.
func fnv1a(key []byte) uint64 {
	hash := uint64(14695981039346656037)
	for _, b := range key {
		hash = (hash ^ uint64(b)) * 1099511628211
	}

	return hash
}

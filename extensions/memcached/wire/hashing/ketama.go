package hashing

import (
	"cmp"
	"crypto/md5" //nolint:gosec // what ketama is made of, and no secret
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Server is one of those among which ketama chooses.
type Server struct {
	Address string // host:port
	Weight  int    // its share of the keys, relative to the others'
}

// Ketama is consistent hashing as libmemcached does it with MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED and
// MD5 (also: the clients of PHP, Python's pylibmc and Ruby that are built on it): 160 points a
// server of average weight, four from the MD5 sum of each "host:port-number", where the port 11211
// is left out. A key belongs to the first point at or after its own sum. Servers that come or go
// move only their own share of the keys.
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

// NewKetama returns the hashing of the servers, of which there must be one at least.
func NewKetama(servers []Server) *Ketama {
	total := 0
	for _, s := range servers {
		total += s.Weight
	}
	k := &Ketama{points: make([]point, 0, len(servers)*sumsPerServer*pointsPerSum)}
	for i, s := range servers {
		// In single precision, as libmemcached: it decides by how much a share is rounded down.
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

// nameOf is what libmemcached makes of a host and a port: an address of IPv6 has no brackets there.
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

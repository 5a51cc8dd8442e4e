package hashing

import (
	"cmp"
	"crypto/md5" //nolint:gosec // ketama is defined with it; not for secrets
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

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

package chaos

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"regexp"
	"strings"
)

type protocol struct {
	name   string
	server string
	tls    bool
	alpn   []string
	// forgets means that a killed server loses its data.
	forgets bool
	// unsure means that the server does not acknowledge values: umem-cache from G2 on.
	unsure bool
	rooms  []string
	writes string
	most   int
	stored func(c *cell) (int, error)
	// inflate changes a suitable reply; filler may follow it.
	inflate func(chunk []byte, index int) ([]byte, bool)
	filler  func() []byte
	prepare func(s *server) error
	env     map[string]string
	// load multiplies the number of operations of a paced client, if a call does several.
	load    int
	closes  bool
	rewrite func(chunk []byte) []byte
	cluster bool
	output  bool
}

const extensions = "xk6-sweep/extensions/"

func protocols() []*protocol {
	return []*protocol{
		{
			name: "machbase", server: "machbase", rooms: []string{extensions + "machbase"}, writes: "write", most: 1,
			stored: machbaseRows, inflate: inflateMachbase, filler: machbasePacket, prepare: prepareMachbase,
		},
		{
			name: "sqlmachbase", server: "machbase",
			rooms:  []string{extensions + "sqlmachbase", extensions + "machbase/cmi", "database/sql."},
			writes: "write", most: 1, closes: true, stored: machbaseRows, prepare: prepareMachbase,
			inflate: inflateMachbase, filler: machbasePacket,
		},
		{
			name: "memcached", server: "memcached", tls: true, forgets: true, rooms: []string{extensions + "memcached"},
			writes: "write", most: 1,
			load: 3, stored: memcachedValues, filler: someBytes,
			inflate: inflateNumber(`(?m)^VALUE \S+ \d+ (\d+)`, "1073741823", "4294967295", "9223372036854775807", "99999999999999999999"),
		},
		{
			name: "umemcache", server: "umemcache", tls: true, forgets: true, unsure: true,
			rooms: []string{extensions + "umemcache"}, writes: "write", most: 1,
			load: 3, stored: umemValues, inflate: inflateUmem, filler: someBytes,
		},
		{
			name: "mxgateway", server: "mxgateway", tls: true, alpn: []string{"h2"}, forgets: true,
			rooms:  []string{extensions + "mxgateway", "google.golang.org/grpc"},
			writes: "read", most: 1, stored: gatewayCalls, inflate: inflateGRPC, filler: grpcFrame,
			env: map[string]string{"KEY": "MXGW_KEY"},
		},
		{
			name: "influx", server: "influxdb", tls: true, alpn: []string{"http/1.1"}, output: true, load: 3,
			inflate: inflateHTTP, filler: someBytes,
		},
		{
			name: "nats", server: "nats", tls: true, rooms: []string{extensions + "nats", "nats-io/nats.go"}, writes: "write", most: 3,
			rewrite: natsWantsTLS, stored: natsMessages, filler: someBytes, prepare: prepareNATS,
			inflate: inflateNumber(`(?m)^(?:MSG \S+ \S+(?: \S+)?|HMSG \S+ \S+(?: \S+)? \d+) (\d+)\r`,
				"4611686018427387904", "9223372036854775807", "2147483647", "99999999999999999999"),
		},
		{
			name: "resp", server: "redis", tls: true, forgets: true,
			rooms: []string{extensions + "resp", "redis/go-redis"}, writes: "set", most: 1,
			load: 4, stored: redisKeys, filler: someBytes,
			inflate: inflateNumber(`(?m)^\$(\d+)\r`, "9223372036854775800", "4611686018427387904", "2147483647", "99999999999999999999"),
		},
		{
			name: "respcluster", server: "redis", cluster: true, forgets: true, rooms: []string{extensions + "resp"}, writes: "set", most: 1,
			load: 4, stored: clusterKeys,
		},
	}
}

func (p *protocol) host() string {
	if p.name == "umemcache" {
		return "::1"
	}

	return "127.0.0.1"
}

func natsWantsTLS(chunk []byte) []byte {
	return bytes.Replace(chunk, []byte(`INFO {`), []byte(`INFO {"tls_required":true,`), 1)
}

func inflateNumber(expression string, numbers ...string) func([]byte, int) ([]byte, bool) {
	found := regexp.MustCompile(expression)

	return func(chunk []byte, index int) ([]byte, bool) {
		at := found.FindSubmatchIndex(chunk)
		if at == nil {
			return nil, false
		}

		return bytes.Join([][]byte{chunk[:at[2]], chunk[at[3]:]}, []byte(numbers[index%len(numbers)])), true
	}
}

// machbaseHeader is the length of a packet's header. Its bytes 4 to 7 have the length of the rest,
// and in the two highest bits whether more packets follow.
const machbaseHeader = 16

func inflateMachbase(chunk []byte, index int) ([]byte, bool) {
	if len(chunk) < machbaseHeader || bytes.HasPrefix(chunk, []byte("CMI_")) {
		return nil, false
	}
	inflated := bytes.Clone(chunk)
	length := uint32(1<<30 - 1)
	if index%2 == 1 {
		length = 1<<30 | binary.BigEndian.Uint32(chunk[4:])
	}
	binary.BigEndian.PutUint32(inflated[4:], length)

	return inflated, true
}

// machbasePacket returns a packet from the middle of a message, as an answer to a direct statement
// or of another kind.
func machbasePacket() []byte {
	packet := make([]byte, machbaseHeader+64<<10-machbaseHeader)
	packet[3] = 8
	binary.BigEndian.PutUint32(packet[4:], 2<<30|uint32(len(packet)-machbaseHeader))

	return packet
}

func inflateUmem(chunk []byte, index int) ([]byte, bool) {
	if len(chunk) < 9 {
		return nil, false
	}
	inflated := bytes.Clone(chunk)
	binary.LittleEndian.PutUint64(inflated, []uint64{1 << 62, 1<<64 - 1, 1 << 20, 1 << 31}[index%4])
	inflated[8] = 0 // a hit

	return inflated, true
}

func inflateGRPC(chunk []byte, index int) ([]byte, bool) {
	for at := 0; at+9 <= len(chunk); {
		length := int(chunk[at])<<16 | int(chunk[at+1])<<8 | int(chunk[at+2])
		if chunk[at+3] == 0 && length >= 5 && at+14 <= len(chunk) {
			inflated := bytes.Clone(chunk)
			binary.BigEndian.PutUint32(inflated[at+10:], []uint32{1<<32 - 1, 1 << 31, 1 << 26, 4<<20 - 1}[index%4])

			return inflated, true
		}
		at += 9 + length
	}

	return nil, false
}

func grpcFrame() []byte {
	const length = 16 << 10
	frame := make([]byte, 9+length)
	frame[1], frame[2] = length>>8, 0
	frame[8] = 1

	return frame
}

func inflateHTTP(_ []byte, index int) ([]byte, bool) {
	return []byte([]string{
		"HTTP/1.1 400 Bad Request\r\nContent-Length: 9223372036854775807\r\n\r\n{",
		"HTTP/1.1 204 No Content\r\nX: " + string(bytes.Repeat([]byte("x"), 1<<20)),
		"HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
		"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 99999999999999\r\nContent-Length: 99999999999\r\n\r\n",
	}[index%4]), true
}

func someBytes() []byte { return bytes.Repeat([]byte("x"), 64<<10) }

func redisArguments(address string) func(dir string) []string {
	_, port, _ := strings.Cut(address, ":")

	return func(dir string) []string {
		return []string{
			filepath.Join(dir, "redis-server"), "--bind", "127.0.0.1", "--port", port, "--dir", dir, "--save", "", "--appendonly", "no",
		}
	}
}

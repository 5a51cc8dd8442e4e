package wire

import (
	"bytes"
	"net"
	"strconv"
	"strings"
)

// Slots is the number of slots of a Redis Cluster.
const Slots = 1 << 14

// Slot returns the slot of a key: CRC16 of the key, or of its hash tag, modulo Slots. The hash tag
// is the text between the first { and the next }, if it is not empty.
//
// Source: https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec.
func Slot(key []byte) int {
	if begin := bytes.IndexByte(key, '{'); begin >= 0 {
		if size := bytes.IndexByte(key[begin+1:], '}'); size > 0 {
			key = key[begin+1 : begin+1+size]
		}
	}
	crc := uint16(0)
	for _, b := range key {
		crc = crc<<8 ^ crcs[byte(crc>>8)^b]
	}

	return int(crc % Slots)
}

var crcs = func() (all [256]uint16) { //nolint:gochecknoglobals // a table
	const polynomial = 0x1021
	for i := range all {
		crc := uint16(i) << 8
		for range 8 {
			carry := crc & 0x8000
			crc <<= 1
			if carry != 0 {
				crc ^= polynomial
			}
		}
		all[i] = crc
	}

	return all
}()

// Error codes of a cluster. After each of them the command was not executed.
const (
	Moved       = "MOVED"
	Ask         = "ASK"
	TryAgain    = "TRYAGAIN"
	ClusterDown = "CLUSTERDOWN"
	CrossSlot   = "CROSSSLOT"
	Loading     = "LOADING"
)

func (e *Error) redirect(text string) {
	slot, address, _ := strings.Cut(text, " ")
	n, ok := number([]byte(slot))
	colon := strings.LastIndexByte(address, ':')
	if !ok || n >= Slots || colon < 0 {
		return
	}
	port, err := strconv.ParseUint(address[colon+1:], 10, 16)
	if err != nil || port == 0 {
		return
	}
	e.Slot, e.Address = int(n), net.JoinHostPort(strings.Trim(address[:colon], "[]"), address[colon+1:])
}

// Asking sends ASKING before the next command, so that a server executes it on a slot that it is
// importing.
func (c *Conn) Asking() { c.asking = true }

// ClusterSlots calls each for every range of slots with its primary. The host of an address is
// empty if it is the connection's.
func (c *Conn) ClusterSlots(each func(first, last int, address string)) error {
	if failed := c.ask("cluster", []byte("slots")); failed != nil {
		return failed
	}
	ranges, failed := c.readArray()
	if failed != nil && failed.Kind == KindServer {
		failed.Kind = KindUsage
		failed.Message = "the server is no node of a Redis Cluster: leave out the option cluster (" + failed.Message + ")"
	}
	for range ranges {
		r := slotReader{conn: c}
		parts := r.array("a range of slots", 3)
		first, last := r.number("slot", 0, Slots-1), r.number("slot", 0, Slots-1)
		members := r.array("an address", 2)
		host := r.text()
		port := r.number("an address with port", 1, 1<<16-1)
		r.skip(members - 2)
		r.skip(parts - 3)
		if r.failed == nil && first > last {
			r.failed = c.protocolError("the server sent slots from %d to %d", first, last)
		}
		if r.failed != nil {
			return c.within(r.failed)
		}
		each(first, last, net.JoinHostPort(host, strconv.Itoa(port)))
	}

	return asError(failed)
}

// slotReader reads the elements of a range of slots until one of them fails.
type slotReader struct {
	conn   *Conn
	failed *Error
}

func (r *slotReader) array(what string, least int) (n int) {
	if r.failed == nil {
		n, r.failed = r.conn.readArray()
	}
	if r.failed == nil && n < least {
		r.failed = r.conn.protocolError("the server sent %s with %d elements", what, n)
	}

	return n
}

func (r *slotReader) number(what string, least, most int64) int {
	var n int64
	if r.failed == nil {
		n, r.failed = r.conn.readNumber()
	}
	if r.failed == nil && (n < least || n > most) {
		r.failed = r.conn.protocolError("the server sent %s %d: it must be from %d to %d", what, n, least, most)
	}

	return int(n)
}

func (r *slotReader) text() string {
	var text []byte
	if r.failed == nil {
		text, _, r.failed = r.conn.readValue(nil)
	}

	return string(text)
}

func (r *slotReader) skip(replies int) {
	for range replies {
		if r.failed == nil {
			_, r.failed = r.conn.readAny(nil)
		}
	}
}

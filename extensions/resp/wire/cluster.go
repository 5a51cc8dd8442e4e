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
	if failed := c.begin(); failed != nil {
		return failed
	}
	c.command("cluster", 1)
	c.word([]byte("slots"))
	if failed := c.flush(); failed != nil {
		return failed
	}
	ranges, failed := c.readArray()
	if failed != nil && failed.Kind == KindServer {
		failed.Kind = KindUsage
		failed.Message = "the server is no node of a Redis Cluster: leave out the option cluster (" + failed.Message + ")"
	}
	for range ranges {
		if failed = c.readRange(each); failed != nil {
			break
		}
	}
	if failed != nil && ranges > 0 && c.Failed == nil {
		failed = c.protocolError("%s", failed.Message)
	}

	return asError(failed)
}

func (c *Conn) readRange(each func(first, last int, address string)) *Error {
	parts, failed := c.readArray()
	if failed != nil {
		return failed
	}
	if parts < 3 {
		return c.protocolError("the server sent a range of slots with %d elements", parts)
	}
	first, failed := c.readSlot()
	if failed != nil {
		return failed
	}
	last, failed := c.readSlot()
	if failed != nil {
		return failed
	}
	address, failed := c.readAddress()
	if failed != nil {
		return failed
	}
	if first > last {
		return c.protocolError("the server sent slots from %d to %d", first, last)
	}
	each(first, last, address)

	return c.skip(parts - 3)
}

func (c *Conn) readSlot() (int, *Error) {
	n, failed := c.readNumber()
	if failed == nil && (n < 0 || n >= Slots) {
		failed = c.protocolError("the server sent slot %d: there are %d", n, Slots)
	}

	return int(n), failed
}

func (c *Conn) readAddress() (string, *Error) {
	const maxPort = 1<<16 - 1
	parts, failed := c.readArray()
	if failed != nil {
		return "", failed
	}
	if parts < 2 {
		return "", c.protocolError("the server sent an address with %d elements", parts)
	}
	host, _, failed := c.readValue(nil)
	if failed != nil {
		return "", failed
	}
	port, failed := c.readNumber()
	if failed != nil {
		return "", failed
	}
	if port < 1 || port > maxPort {
		return "", c.protocolError("the server sent an address with port %d", port)
	}

	return net.JoinHostPort(string(host), strconv.FormatInt(port, 10)), c.skip(parts - 2)
}

func (c *Conn) readArray() (int, *Error) {
	n, failed := c.readLength('*', MaxElements, "an array of %s elements")

	return max(n, 0), failed
}

func (c *Conn) skip(replies int) *Error {
	for range replies {
		if _, failed := c.readAny(nil); failed != nil {
			return failed
		}
	}

	return nil
}

package cmi

import (
	"encoding/binary"
	"strings"
)

type request struct {
	buf    []byte
	packet int
	parts  int
}

func (r *request) reset() { r.buf = r.buf[:0] }

func (r *request) begin(message byte, statement uint32, adds uint16) {
	r.parts = 0
	r.startPacket(message, statement, adds)
}

func (r *request) startPacket(message byte, statement uint32, adds uint16) {
	r.packet = len(r.buf)
	r.buf = append(r.buf, 0, byte(adds>>8), byte(adds), message, 0, 0, 0, 0)
	r.buf = binary.BigEndian.AppendUint32(r.buf, statement)
	r.buf = append(r.buf, 0, 0, 0, 0)
}

func (r *request) end() {
	flag := uint32(0)
	if r.parts > 0 {
		flag = 3
	}
	r.endPacket(flag)
}

func (r *request) endPacket(flag uint32) {
	header := r.buf[r.packet:]
	binary.BigEndian.PutUint32(header[4:], flag<<30|uint32(len(header)-headerSize))
	r.parts++
}

func (r *request) reserve(size int) {
	body := len(r.buf) - r.packet - headerSize
	if body == 0 || body+size <= maxPacketBody {
		return
	}
	header := r.buf[r.packet:]
	message, adds, statement := header[3], binary.BigEndian.Uint16(header[1:]), binary.BigEndian.Uint32(header[8:])
	if r.parts == 0 {
		r.endPacket(1)
	} else {
		r.endPacket(2)
	}
	r.startPacket(message, statement, adds)
}

func (r *request) unit(id, unitType uint32, number uint64) {
	r.buf = binary.LittleEndian.AppendUint32(r.buf, id)
	r.buf = binary.LittleEndian.AppendUint32(r.buf, unitType)
	r.buf = binary.LittleEndian.AppendUint64(r.buf, number)
}

func (r *request) uint64(id uint32, n uint64) {
	r.reserve(unitHeader)
	r.unit(id, typeUint64, n)
}

func (r *request) fetchRows(n int64) {
	r.reserve(unitHeader)
	r.unit(unitFetchRows, typeInt64, uint64(n))
}

func (r *request) uint32(id, n uint32) {
	r.reserve(unitHeader)
	r.unit(id, typeUint32, uint64(n))
}

func (r *request) text(id uint32, s string) { sized(r, id, typeString, s) }

func sized[T string | []byte](r *request, id, unitType uint32, data T) {
	r.reserve(unitHeader + align(len(data)))
	r.unit(id, unitType, uint64(len(data)))
	r.buf = append(r.buf, data...)
	r.pad(len(data))
}

// If the last line is a comment, machbase-neo v8.0.74 would continue with an earlier text.
func (r *request) sql(id uint32, s string) {
	if strings.Contains(s, "--") {
		s += "\n"
	}
	r.text(id, s)
}

func (r *request) pad(length int) {
	const zeros = "\x00\x00\x00\x00\x00\x00\x00"
	r.buf = append(r.buf, zeros[:align(length)-length]...)
}

func (r *request) prepare(s *Stmt) {
	r.begin(msgPrepare, s.id, 0)
	r.uint64(unitStatement, uint64(s.id))
	r.sql(unitPrepareText, s.text)
	r.end()
}

func (r *request) execute(s *Stmt, fetchRows int64, params []byte, hasParams bool) {
	r.begin(msgExecute, s.id, 0)
	r.uint64(unitStatement, uint64(s.id))
	r.fetchRows(fetchRows)
	if hasParams {
		sized(r, unitValues, typeBinary, params)
	}
	r.end()
}

func (r *request) free(id uint32) {
	r.begin(msgFree, id, 0)
	r.uint64(unitFreeStatement, uint64(id))
	r.end()
}

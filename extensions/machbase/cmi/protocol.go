package cmi

import "fmt"

// The first bytes of a connection. The last character means a little-endian client.
const (
	hello = "CMI_INET0"
	ready = "CMI_READY"
)

// protocol is an encoded version: major in the highest 16 bits, minor in the next 16, fix in the
// lowest 32.
type protocol uint64

// protocolVersion is 4.0.2: parameters by position, no nullable flags in the description of a
// column. Servers with 4.0.3 (Machbase 8.6) support it too.
const protocolVersion protocol = 4<<48 | 0<<32 | 2

func (p protocol) String() string { return fmt.Sprintf("%d.%d.%d", p>>48, p>>32&0xffff, uint32(p)) }

// Versions that differ only in the fix are compatible.
func (p protocol) isForeign() bool { return p != 0 && p>>32 != protocolVersion>>32 }

// Messages.
const (
	msgConnect     = 0
	msgPrepare     = 6
	msgExecute     = 7
	msgDirect      = 8
	msgFetch       = 9
	msgFree        = 10
	msgAppendOpen  = 11
	msgAppendData  = 12
	msgAppendClose = 13
	msgHighest     = 19
)

// Units, with machbaseAPI's names.
const (
	unitVersion  = 0x01
	unitClient   = 0x02
	unitDatabase = 0x04
	unitEndian   = 0x05
	unitUser     = 0x06
	unitPassword = 0x07
	unitTimeout  = 0x08 // seconds
	unitHidden   = 0x41 // whether to show hidden columns
	unitNonce    = 0x0c // a client with a key must sign it
	unitAddress  = 0x42

	unitResult  = 0x10
	unitMessage = 0x11

	unitPrepareText = 0x20
	unitParameters  = 0x21 // number of parameters
	unitStatement   = 0x22
	unitRows        = 0x23 // in an answer, the number of changed rows; in append data, a row
	unitTable       = 0x25
	unitColumnName  = 0x26
	unitColumnType  = 0x27
	unitParamType   = 0x29

	unitValues       = 0x31 // values of parameters
	unitAppendEndian = 0x34

	unitDirectText = 0x40

	unitFetchStatement = 0x50
	unitFetchRows      = 0x51
	unitRow            = 0x52

	unitFreeStatement = 0x60
	unitAccepted      = 0x61
	unitRejected      = 0x62

	unitStatementType = 200
)

// Types of units.
const (
	typeString = 0x02
	typeBinary = 0x03
	typeInt32  = 0x08
	typeUint32 = 0x09
	typeInt64  = 0x0a
	typeUint64 = 0x0b
)

func isSized(unitType uint32) bool {
	switch unitType {
	case typeString, typeBinary, 0x0c, 0x0d, 0xf1, 0xf2:
		return true
	default:
		return false
	}
}

// Results, in the upper half of the unit; the lower half is the error code.
const (
	resultOK   = 0x724f4b5f
	resultLast = 0x724c5354 // no more rows
)

const (
	statementSelect = 512
	statementInsert = 513
)

const (
	headerSize    = 16
	unitHeader    = 16
	maxPacketBody = 64 << 10 // limit for packets sent; a larger unit gets its own packet
	maxStatements = 1024
	maxParameters = 255 // their number is a byte
)

func align(n int) int { return (n + 7) &^ 7 }

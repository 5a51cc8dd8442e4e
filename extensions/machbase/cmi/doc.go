// Package cmi is a client of Machbase's native protocol, called CMI.
//
// A [Conn] is one connection without a goroutine. Each call takes a context. If it ends during an
// answer, the connection is closed. All errors are an [*Error].
//
// # The protocol
//
// It is described by the PyPI package machbaseAPI 2.4 (constants.py, packet.py, marshal.py,
// protocol.py) and by the answers of machbase-neo v8.0.74; this code is new.
//
// The client connects by TCP and sends "CMI_INET0"; the server answers "CMI_READY". Then both send
// messages of one or more packets:
//
//	0   u8    0
//	1   u16   adds (the statement in append data, else 0)
//	3   u8    kind: connect, prepare, execute, ...
//	4   u32   two bits: 0 whole, 1 first, 2 middle, 3 last packet; then the length of the body
//	8   u32   statement
//	12  u32   0
//	16  body  big-endian header, little-endian body
//
// The bodies of a message's packets form a sequence of units: id (u32), type (u32), and 8 bytes
// with a number, or with the length of the data that follows, padded to a multiple of 8. Each
// request gets one answer, in order, so several requests can be sent together. Append data gets no
// answer, but the server may report each rejected row at any time, in a message.
//
// The client numbers its statements, up to 1024 at a time. Values in rows and parameters are
// big-endian; appended values have the server's byte order. A datetime is an int64 of nanoseconds
// since 1970 in UTC. Null is a reserved value of the type, such as the smallest integer, so a
// number with that value is read as null.
//
// When the server is killed, tag tables keep their accepted rows, and log tables lose those of the
// last quarter of a second. Appending to a system table, such as V$SESSION, crashes the server, so
// the client rejects it. There is no TLS: passwords are sent in plain text.
package cmi

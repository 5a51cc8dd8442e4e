// Package cmi is a client of Machbase's native protocol, which its makers call CMI.
//
// The facts come from the PyPI package machbaseAPI 2.4 (constants.py, packet.py, marshal.py,
// protocol.py) and from what a machbase-neo v8.0.74 answers; the code is our own.
//
// # The protocol
//
// TCP. The client says "CMI_INET0", the server "CMI_READY", and then each sends messages. A message
// is one packet or
// several:
//
//	0   u8    0
//	1   u16   adds (the statement, in append data; else 0)
//	3   u8    what it is: connect, prepare, execute, ...
//	4   u32   flag in the two highest bits (0 whole, 1 first, 2 middle, 3 last), length of the body in the others
//	8   u32   statement
//	12  u32   0
//	16  body  big-endian header, little-endian body
//
// A body is a sequence of units: id (u32), type (u32), and 8 bytes that are a number or, for text,
// binary and rows, the length of what follows, padded to a multiple of 8. The bodies of a message's
// packets make one sequence. Each request gets one answer, in order, so that several requests can
// be sent at once. Append data gets none, but for rows that the server rejects: it says so at any
// time, a message for each.
//
// A statement has one of 1024 numbers, which the client chooses. Values in rows and parameters are
// big-endian, those that are appended have the server's byte order. A datetime is an int64 of
// nanoseconds since 1970 in UTC. Nulls are values that are set apart, such as the smallest integer;
// the server knows no other null for them, so that such a value comes back as null.
//
// A server that is killed keeps the rows of tag tables that it has counted as accepted, and loses
// those of log tables of the last quarter of a second (seen with SIGKILL amid appends). Appending
// to a table of its own, such as V$SESSION, ends the server itself, so that this client refuses it.
//
// There is no TLS and no compression: passwords cross the network as they are.
//
// # This client
//
// A [Conn] is one connection and no goroutine. One goroutine uses it at a time; a call that finds
// it in use fails. [Conn.Interrupt] and [Conn.Close] may be called by any goroutine at any time,
// and return at once. Each call takes a context, whose deadline and end it heeds; a call that is
// abandoned amid an answer closes the connection, and says so. All errors are an [*Error].
package cmi

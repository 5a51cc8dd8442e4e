// Package wire is a client of memcached's text protocol and of its meta protocol, over one
// connection.
//
// What is sent and read is as doc/protocol.txt of memcached 1.6 has it. Nothing is allocated for an
// operation that succeeds, once the buffers that its caller passes in have grown to the size of the
// values.
package wire

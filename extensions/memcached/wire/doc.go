// Package wire is a client of memcached's text and meta protocols over one connection.
//
// It follows doc/protocol.txt of memcached 1.6. A successful operation allocates no memory once the
// caller's buffers have the size of the values.
package wire

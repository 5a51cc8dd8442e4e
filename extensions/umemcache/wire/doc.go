// Package wire is a client of umem-cache, a cache whose only form of writing is a GET that misses:
// its connection gets the key's fill lock, all other readers of the key wait, and receive the value
// that the lock's owner sends.
//
// A Pool holds the connections of the whole process to one server, a Cluster those to the members
// of a cluster. A Client is a user of it, with one operation at a time. Each connection belongs to
// one thread of the server; a key's hash selects the thread.
//
// The protocol has no version number, and has changed twice: see Generation. Sources: README.rst
// and conn.h of github.com/imchuncai/umem-cache at 9ba02d4 (G3) and 53f97eb (G1),
// github.com/imchuncai/umem-cache-client-Go at dcf5ff3 (G3) and f7b9979 (G1), and tests with
// servers of these commits.
//
// A fault of G3 (9ba02d4) has no remedy in a client: if a DEL takes a fill lock, and another DEL
// takes it at the same moment from the next owner, that client gets no answer. Its operation ends
// at its timeout with kind lock_wait.
package wire

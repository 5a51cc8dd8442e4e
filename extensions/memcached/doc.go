// Package memcached is the k6 module k6/x/memcached: a client of memcached over its text or its
// meta protocol.
//
// The protocol is in the folder wire, the choice among several servers in wire/hashing; here is
// what scripts see of them.
package memcached

// Package memcached is the k6 module k6/x/memcached, a client of memcached's text and meta
// protocols.
//
// Package wire implements the protocols, package hashing chooses the server of a key, and this
// package is the JavaScript interface.
package memcached

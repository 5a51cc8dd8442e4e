// Package umemcache is the k6 module k6/x/umemcache, a client of umem-cache. Package wire
// implements the protocol. This package is the JavaScript interface, and shares the connections
// between VUs.
package umemcache

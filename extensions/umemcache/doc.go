// Package umemcache is the JavaScript module k6/x/umemcache: a client of umem-cache. What speaks to
// the server is the package wire; here are options, values, errors, metrics, and the connections
// that the clients of all VUs share.
package umemcache

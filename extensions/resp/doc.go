// Package resp is the k6 module k6/x/resp: benchmarks of servers that speak RESP (Redis, Valkey,
// pogocache), done in Go with go-redis. It has what k6/x/redis has not, many operations in one
// call, and nothing else: single commands are that module's.
//
// What a server announces is looked at before go-redis makes room for it (wire.Bounds). That cannot
// be done for k6/x/redis: it dials with k6's dialer of the VU, which does not tell it from other
// protocols, and does TLS above that.
package resp

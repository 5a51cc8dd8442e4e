// Package resp is the k6 module k6/x/resp: benchmarks of servers that speak RESP (Redis, Valkey,
// pogocache), done in Go. It has what k6/x/redis has not, many operations in one call, and nothing
// else: single commands are that module's.
//
// Package wire speaks the protocol, and not go-redis, which makes a command, its reply and its
// value anew for each key: in pipelines of 50 that halves what a processor does in a second. Nor
// does go-redis bound what a server announces. That cannot be mended for k6/x/redis: it dials with
// k6's dialer of the VU, which does not tell it from other protocols, and does TLS above that.
package resp

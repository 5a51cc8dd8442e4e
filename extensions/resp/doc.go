// Package resp is the k6 module k6/x/resp: benchmarks of servers that speak RESP (Redis, Valkey,
// pogocache), written in Go. One call runs many operations. For single commands use k6/x/redis.
//
// Package wire implements the protocol. go-redis would allocate memory for each command, reply and
// value, and does not limit the sizes that a server announces.
package resp

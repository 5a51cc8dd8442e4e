// Package resp is the k6 module k6/x/resp: benchmarks of servers that speak RESP (Redis, Valkey, pogocache), done in Go with
// go-redis. It has what k6/x/redis has not, many operations in one call, and nothing else: single commands are that
// module's.
package resp

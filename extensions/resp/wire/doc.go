// Package wire speaks RESP 2, the protocol of Redis, over one connection: the commands that a
// benchmark of caches needs, alone and in pipelines.
//
// RESP: https://redis.io/docs/latest/develop/reference/protocol-spec.
package wire

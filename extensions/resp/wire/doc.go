// Package wire is a client of RESP 2, the protocol of Redis, with the commands that a cache
// benchmark needs, single and in pipelines.
//
// Specification: https://redis.io/docs/latest/develop/reference/protocol-spec.
package wire

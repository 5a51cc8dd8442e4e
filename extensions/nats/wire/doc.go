// Package wire is a client of NATS's protocol for many operations on event loops or in goroutines:
// requests, and the operations of key-value buckets. A connection handles one request at a time,
// without a goroutine or an allocation.
//
// [Bounds] and [Socket] check the sizes that a server announces before nats.go, which would
// allocate any size.
//
// Protocol: https://docs.nats.io/reference/reference-protocols/nats-protocol.
package wire

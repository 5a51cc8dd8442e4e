// Package wire speaks NATS's client protocol: requests and their answers, and on top of them the
// operations of key-value buckets. It is for clients that do many of them, at the event loops of
// package eventloop or on goroutines: one connection, one request at a time, no goroutine and no
// allocation for any of them.
//
// It also looks at what a server says before nats.go does, which makes a buffer of any size that a
// server announces: see [Bounds] and [Socket].
//
// The protocol: https://docs.nats.io/reference/reference-protocols/nats-protocol.
package wire

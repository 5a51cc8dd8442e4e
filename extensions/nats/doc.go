// Package nats is the k6 module k6/x/nats, a client of NATS with JetStream, key-value stores and
// object stores.
//
// github.com/nats-io/nats.go does most of the work, package wire the runs in Go on event loops.
// This package is the JavaScript interface: options, errors, metrics, blocking and async calls, and
// callbacks for messages on k6's event loop.
package nats

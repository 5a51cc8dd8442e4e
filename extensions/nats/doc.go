// Package nats is the JavaScript module k6/x/nats: a client of NATS, its JetStream, key-value and
// object stores.
//
// What speaks to the servers is github.com/nats-io/nats.go with its package jetstream, and package
// wire for what runs in Go at the event loops. Here is what scripts see of them: options, errors,
// metrics, the two forms of each operation, and messages that reach JavaScript on k6's event loop.
package nats

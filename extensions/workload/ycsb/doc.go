// Package ycsb generates the core workloads of YCSB and runs them on a store. It is pure Go and
// knows neither k6 nor a protocol.
//
// Distributions, names of keys and the choice of operations are those of CoreWorkload of
// brianfrankcooper/YCSB at d9faaac; comments name the classes. Options have the names of its
// properties in camel case, and its defaults.
//
// A [Workload] is shared by all clients of a store: it knows which records were inserted. Each
// [Client] draws from a stream of its own, which follows from the seed and the client's index. The
// same seed makes the same operations as long as no other client inserts records meanwhile.
//
// [Client.Run] does operations on a [Store]. What cannot be run in Go takes operations from
// [Client.Next] and reports inserts to [Client.Inserted].
package ycsb

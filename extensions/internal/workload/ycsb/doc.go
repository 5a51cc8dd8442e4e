// Package ycsb generates the core workloads of YCSB and runs them on a store. It depends on neither
// k6 nor a protocol.
//
// Distributions, key names and the choice of operations follow CoreWorkload of
// brianfrankcooper/YCSB at d9faaac; comments name the classes. Options are YCSB's properties in
// camel case, with the same defaults.
//
// All clients of a store share a [Workload], which tracks inserted records. Each [Client] draws
// from its own random stream, seeded from the seed and the client's index. Its operations are
// reproducible if no other client inserts records.
//
// [Client.Run] runs operations on a [Store]. Other callers take operations from [Client.Next] and
// report inserts with [Client.Inserted].
package ycsb

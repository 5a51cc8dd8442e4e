// Package ycsbbench is client.ycsb(options) of the modules whose servers keep records: it does
// operations of package ycsb in Go, in the step of a sweep each under its own name.
package ycsbbench

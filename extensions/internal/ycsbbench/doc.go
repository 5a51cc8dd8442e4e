// Package ycsbbench implements client.ycsb(options) for modules whose servers store records. It
// runs operations of package ycsb in Go and records each under its own name in a step.
package ycsbbench

// Package session lets k6 modules from other repositories take part in sweeps. Their operations
// have durations, rows, bytes and kinds in the report, gates, metrics and outputs.
//
// Build k6 with both, for example with xk6:
//
//	xk6 build v2.2.0 --with github.com/xk6-sweep/xk6-sweep --with example.com/xk6-echo=./xk6-echo
//
// New makes a module from a Definition, whose Exports is called for each VU. Module.Bind gives an
// object its methods, each operation in two forms: echo blocks, asyncEcho returns a promise.
// Module.Run does many operations in one call, in Go. The folder examples/echo has a complete
// module.
//
// Under other executors the module also works, with its own metrics.
package session

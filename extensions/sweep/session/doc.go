// Package session is for modules of k6 that are not of this repository. A module that is made with
// it takes part in a sweep as ours do: its operations have durations, rows, bytes and kinds of
// their own in the report, the gates, the metrics and the outputs.
//
// It needs no more than an import. Build k6 with both, for instance with xk6:
//
//	xk6 build v2.2.0 --with github.com/xk6-sweep/xk6-sweep --with example.com/xk6-echo=./xk6-echo
//
// New makes the module of a Definition, whose Exports gets the Module of each VU. Module.Bind gives
// an object its methods, each operation in both forms: echo, which blocks, and asyncEcho, which
// returns a promise. Module.Run does many operations in one call, in Go. The example examples/echo
// has all of it: one file of Go, its declarations, a script and a go.mod.
//
// Under any other executor than client-sweep the module works as well, and has its metrics.
package session

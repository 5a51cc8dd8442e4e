// Package session lets k6 modules from other repositories take part in sweeps, with their own
// durations, rows, bytes and kinds. Under other executors they work too, with their own metrics.
//
// New makes a module from a Definition. Module.Bind gives an object its methods, each operation in
// two forms: echo blocks, asyncEcho returns a promise. Module.Run does many operations in one call.
// The folder examples/echo has a complete module. To build k6 with it, copy the folder:
//
//	go mod init example.com/xk6-echo && go mod tidy
//	xk6 build v2.2.0 --with github.com/xk6-sweep/xk6-sweep --with example.com/xk6-echo=.
package session

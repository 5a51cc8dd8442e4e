// Package runs lets one call of a script do many operations in Go: client.run of the modules. What
// the operations are is the module's; here is what all of them have to do with k6: the step of a
// sweep whose operations they are, the turns of its clients, and the end of the test.
package runs

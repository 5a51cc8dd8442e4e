// Package options reads and validates the options of the executor client-sweep, and returns the
// steps they describe.
package options

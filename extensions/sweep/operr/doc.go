// Package operr handles errors of operations: exceptions of scripts, operations that were cut off,
// logging, and the end of a sweep in which no operation can succeed.
package operr

// Package options is the options of the executor client-sweep: what a script may write in a
// scenario, which of it makes sense, and which steps come of it.
package options

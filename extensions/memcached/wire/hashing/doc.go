// Package hashing chooses the server of a key when there are several.
package hashing

// Picker chooses one of several servers. It can be used by many goroutines at once.
type Picker interface {
	// Pick returns the number of the key's server, from 0.
	Pick(key []byte) int
}

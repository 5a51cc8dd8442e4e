// Package hashing chooses the server of a key.
package hashing

// Picker chooses one of several servers. It is safe for concurrent use.
type Picker interface {
	// Pick returns the index of the key's server.
	Pick(key []byte) int
}

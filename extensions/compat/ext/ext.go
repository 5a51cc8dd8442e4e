// Package ext is k6 v2's package of the same name, under k6 v1's import path: xk6-sql's tests
// import it, and so `go mod tidy` looks for it.
package ext

import "go.k6.io/k6/v2/ext"

type (
	// Extension is that of k6 v2.
	Extension = ext.Extension
	// ExtensionType is that of k6 v2.
	ExtensionType = ext.ExtensionType
)

// JSExtension is the type of JavaScript modules.
const JSExtension = ext.JSExtension

// Get returns the extensions of a type, by name.
func Get(of ExtensionType) map[string]*Extension { return ext.Get(of) }

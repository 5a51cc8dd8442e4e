// Package ext is k6 v2's package under k6 v1's path. Tests of xk6-sql import it, so `go mod tidy`
// needs it.
package ext

import "go.k6.io/k6/v2/ext"

type (
	// Extension is k6 v2's type.
	Extension = ext.Extension
	// ExtensionType is k6 v2's type.
	ExtensionType = ext.ExtensionType
)

// JSExtension is the type of JavaScript modules.
const JSExtension = ext.JSExtension

// Get returns the extensions of a type, by name.
func Get(of ExtensionType) map[string]*Extension { return ext.Get(of) }

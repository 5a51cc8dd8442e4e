// Package modules is k6 v2's package under k6 v1's path.
package modules

import "go.k6.io/k6/v2/js/modules"

type (
	// Module is k6 v2's type.
	Module = modules.Module
	// Instance is k6 v2's type.
	Instance = modules.Instance
	// VU is k6 v2's type.
	VU = modules.VU
	// Exports is k6 v2's type.
	Exports = modules.Exports
)

// Register registers a module with k6 v2. It panics if the name is taken.
func Register(name string, module any) { modules.Register(name, module) }

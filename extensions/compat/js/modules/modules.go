// Package modules is k6 v2's package of the same name, under k6 v1's import path.
package modules

import "go.k6.io/k6/v2/js/modules"

type (
	// Module is that of k6 v2.
	Module = modules.Module
	// Instance is that of k6 v2.
	Instance = modules.Instance
	// VU is that of k6 v2.
	VU = modules.VU
	// Exports is that of k6 v2.
	Exports = modules.Exports
)

// Register makes a module known to k6 v2. It panics when there is one of that name.
func Register(name string, module any) { modules.Register(name, module) }

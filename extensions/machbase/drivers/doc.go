// Package drivers has Machbase's own clients as drivers of k6/x/machbase: machgo, in Go, and
// machcli, in C through cgo. It is a module of its own: machgo has no licence file, and machcli
// brings the whole engine with it, 113 MB, under a licence of its own. `make build-drivers`
// builds a k6 that has both.
package drivers

import "github.com/xk6-sweep/xk6-sweep/extensions/machbase"

func init() { //nolint:gochecknoinits // what the import is for
	machbase.RegisterDriver(machgoDriver{})
	machbase.RegisterDriver(machcliDriver{})
}

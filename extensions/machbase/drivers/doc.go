// Package drivers makes Machbase's clients available as drivers of k6/x/machbase: machgo in Go, and
// machcli in C through cgo. It is a separate Go module: machgo has no licence file, and machcli
// includes the whole engine, 113 MB, under its own licence. `make build-drivers` builds a k6 with
// both.
package drivers

import "github.com/xk6-sweep/xk6-sweep/extensions/machbase"

func init() { //nolint:gochecknoinits // the purpose of importing the package
	machbase.RegisterDriver(machgoDriver{})
	machbase.RegisterDriver(machcliDriver{})
}

// Package machcli is the driver machcli of k6/x/machbase: Machbase's client in C, through cgo. It
// is a module of its own, and compiled with the build tag machcli only: the client brings the whole
// engine with it, 113 MB, under a licence of its own. `make build-drivers` builds a k6 that has it.
//
// Never run go mod tidy here: tests of the client depend on a module that cannot be had.
package machcli

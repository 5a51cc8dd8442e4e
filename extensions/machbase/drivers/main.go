// Command k6 is extensions/cmd/k6 with Machbase's clients as drivers of k6/x/machbase: machgo in
// Go, and machcli in C through cgo. `make build-drivers` builds it as bin/k6-drivers.
//
// It is a separate Go module: machgo has no licence file, and machcli includes the whole engine,
// 113 MB, under its own licence.
package main

import (
	k6cmd "go.k6.io/k6/v2/cmd"

	_ "github.com/grafana/xk6-redis"
	_ "github.com/xk6-sweep/xk6-sweep"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	"github.com/xk6-sweep/xk6-sweep/extensions/machbase"
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"
)

func init() { //nolint:gochecknoinits // before a test opens a connection
	machbase.RegisterDriver(machgoDriver{})
	machbase.RegisterDriver(machcliDriver{})
}

func main() {
	k6x.ShowVersion()
	k6cmd.Execute()
}

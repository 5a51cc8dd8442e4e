// Command k6 is extensions/cmd/k6 with the drivers machgo and machcli (C) of k6/x/machbase.
// `make build-drivers` builds it as bin/k6-drivers.
package main

import (
	k6cmd "go.k6.io/k6/v2/cmd"

	_ "github.com/grafana/xk6-redis"
	_ "github.com/xk6-sweep/xk6-sweep"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6glue"
	_ "github.com/xk6-sweep/xk6-sweep/extensions/machbase/drivers"
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"
)

func main() {
	k6glue.ShowVersion()
	k6cmd.Execute()
}

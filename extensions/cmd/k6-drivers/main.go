// Command k6-drivers is cmd/k6 with the drivers machgo and machcli (C) of k6/x/machbase, which use
// Machbase's own clients. `make build-drivers` builds it.
//
// It is a separate module, so that the default k6 does not depend on these clients.
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

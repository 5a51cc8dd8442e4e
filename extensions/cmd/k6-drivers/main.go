// Command k6-drivers is k6 with all that cmd/k6 has and, beside the native driver of k6/x/machbase,
// those over Machbase's own clients: machgo, and machcli, which is C. `make build-drivers` builds
// it.
//
// It is a module of its own, so that what those clients need is nowhere near the k6 that is the
// default.
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

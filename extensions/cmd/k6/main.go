// Command k6 is k6 with this repository's extensions and xk6-redis, pinned by go.sum; xk6 builds
// the same binary.
package main

import (
	k6cmd "go.k6.io/k6/v2/cmd"

	_ "github.com/grafana/xk6-redis"
	"github.com/redis/go-redis/v9/logging"
	_ "github.com/xk6-sweep/xk6-sweep"
	"github.com/xk6-sweep/xk6-sweep/extensions/internal/k6x"
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"
)

func main() {
	logging.Disable() // go-redis logs what its calls return as errors
	k6x.ShowVersion()
	k6cmd.Execute()
}

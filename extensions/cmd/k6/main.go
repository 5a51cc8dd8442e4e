// Command k6 is k6 with this repository's extensions and xk6-redis: the same binary that xk6 builds, pinned by go.sum.
package main

import (
	_ "github.com/grafana/xk6-redis"
	_ "github.com/xk6-sweep/xk6-sweep"
	_ "github.com/xk6-sweep/xk6-sweep/extensions/sql"
	k6cmd "go.k6.io/k6/v2/cmd"
)

func main() {
	k6cmd.Execute()
}

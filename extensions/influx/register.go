// Package influx is k6's output sweep-influxdb: it streams the figures of sweeps, second by second,
// to InfluxDB 1, 2 or 3.
package influx

import "go.k6.io/k6/v2/output"

// Name is that of the output, for k6 run -o.
const Name = "sweep-influxdb"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}

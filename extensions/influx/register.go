// Package influx is k6's output sweep-influxdb. It streams a sweep's figures to InfluxDB 1, 2 or 3
// once a second.
package influx

import "go.k6.io/k6/v2/output"

// Name is the output's name for k6 run -o.
const Name = "sweep-influxdb"

func init() { //nolint:gochecknoinits // k6's way of registering extensions
	output.RegisterExtension(Name, New)
}

// Command grafana writes the dashboards, one for each store, from one description of their panels;
// asks a store every query of its dashboard; and draws the answers as a page, where there is no
// Grafana to be looked at.
//
//	go generate                                                  writes dashboards/*.json
//	go run . ask -influxdb URL -scenario S -instance A           exits with 1 if a panel would be empty
//	go run . ask -prometheus URL -scenario S -instance A
//	go run . page -influxdb URL -scenario S -instance A -baseline B >page.html
//
// panels.go says what is shown, influxql.go and promql.go how it is asked, dashboard.go how Grafana
// writes it down. Queries are InfluxQL for InfluxDB of every version: 1 speaks nothing else, 2 maps
// a database to the bucket of its name, and 3 takes it as it is. Names of measurements, tags and
// fields are those of the output sweep-influxdb; those of metrics are what k6's output
// experimental-prometheus-rw makes of the executor's.
package main

//go:generate go run . write

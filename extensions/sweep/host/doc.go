// Package host is the machine that k6 runs on, as far as it matters to a measurement: the processor
// time of k6 and of a target's server, whether that server is at rest, a cache's memory, and how
// often Go collects garbage. It knows nothing of k6.
package host

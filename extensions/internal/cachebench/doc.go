// Package cachebench implements client.run and client.hitRate for the cache modules: many
// operations in one JavaScript call. The operations are in the packages workload and
// workload/hitrate. This package connects them to k6: options, results, and the current step of a
// sweep.
package cachebench

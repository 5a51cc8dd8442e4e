// Package cachebench implements client.run, client.hitRate and client.ycsb (in package ycsbbench)
// for the cache modules: many operations in one JavaScript call. The operations are in the packages
// workload, workload/hitrate and workload/ycsb. This package connects them to k6: options, results,
// and the current step of a sweep.
package cachebench

// Package runs implements client.run: many operations in one JavaScript call. Runs handles the
// current step of a sweep, fair turns among clients, and the end of the test; modules add the
// operations. CacheBench is client.run, prefill and hitRate of the cache modules, and YCSBBench is
// client.ycsb. Their operations are in the packages workload, workload/hitrate and workload/ycsb.
package runs

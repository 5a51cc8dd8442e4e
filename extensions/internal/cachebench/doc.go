// Package cachebench lets the modules of caches do many operations in one call of JavaScript:
// client.run, which does a workload, and client.hitRate, which does accesses of the published
// hit-rate benchmark. What the operations are is in the packages workload and workload/hitrate;
// here is what k6 has to do with them: options, the step of a sweep that they are part of, results.
package cachebench

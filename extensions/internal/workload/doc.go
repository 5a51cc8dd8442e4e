// Package workload implements client.run: many operations in one JavaScript call.
//
// [Runs] handles the current step of a sweep, fair turns among clients, and the end of the test;
// modules add the operations. [CacheBench] is client.run, prefill and hitRate of the cache modules,
// and [YCSBBench] is client.ycsb.
//
// Keys and values follow from the options and the seed alone. So any client can verify a value,
// whichever client wrote it (see [Values]). A [Workload] is immutable, and all clients share it.
// Each [Client] draws from its own math/rand/v2 PCG, seeded from the seed and the client's index. A
// client therefore repeats the same operations in every run. With the distribution sequential, and
// while prefilling, client c of n uses the keys from c*count/n up to (c+1)*count/n. Zipf and
// gaussian use math.Exp and math.Log, whose last bit may differ between processors.
//
// [Client.Run] times each operation without generating its key and value, and reports it to an
// [Observer]. Values are verified outside that time, except in getMulti and pipelines.
package workload

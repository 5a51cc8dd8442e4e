/// <reference path="../k6mod/index.d.ts" />
/**
 * The core workloads of YCSB, run in Go by the method `ycsb` of clients of k6/x/memcached,
 * k6/x/umemcache and k6/x/resp, of layouts of k6/x/nats, and of databases of k6/x/sql:
 *
 *     client.ycsb({ workload: 'a', recordCount: 10000 }, { phase: 'run', iterations: 1000 });
 *
 * In a sweep, each operation counts under its YCSB name: READ, UPDATE, INSERT, SCAN and
 * READ-MODIFY-WRITE. List them in the scenario's `opNames`. Failed operations are counted and do
 * not throw. In `extra.counters`, the report has the total time of the reads and updates in
 * read-modify-writes, `readModifyWriteReadMicroseconds` and `readModifyWriteUpdateMicroseconds`,
 * and `scannedRecords`.
 */
declare namespace XK6SweepYCSB {
  /**
   * A workload, with the names of YCSB's properties. Clients of a module with equal options and the
   * same server share a workload, and read each other's inserts.
   */
  interface Workload {
    /**
     * Sets `mix`, `requestDistribution` and `maxScanLength` like YCSB's files workloada to
     * workloadf. Other options override it.
     */
    workload?: 'a' | 'b' | 'c' | 'd' | 'e' | 'f';
    /** Relative shares of operations. Default: read 0.95, update 0.05. */
    mix?: { read?: number; update?: number; insert?: number; scan?: number; readModifyWrite?: number };
    /** Number of records to load. Default 1000. */
    recordCount?: number;
    /**
     * Expected operations with `zipfian`, which reserves room for twice as many inserts as these
     * contain. Default `recordCount`.
     */
    operationCount?: number;
    /** Form keys from the record's number, or from its hash. Default `hashed`. */
    insertOrder?: 'hashed' | 'ordered';
    /** Minimum number of digits in a key. Default 1. */
    zeroPadding?: number;
    /** Default 10. */
    fieldCount?: number;
    /** Maximum bytes of a field. Default 100. */
    fieldLength?: number;
    /** Minimum bytes of a field, except with `constant`. Default 1. */
    minFieldLength?: number;
    /** Default `constant`. */
    fieldLengthDistribution?: 'constant' | 'uniform' | 'zipfian';
    /** Read all fields of a record, or one. Default true. */
    readAllFields?: boolean;
    /**
     * Update all fields of a record, or one. Default false. Must be true if a record is one value,
     * as in caches.
     */
    writeAllFields?: boolean;
    /**
     * Derive each field's value from the key; reading another value fails. Set it when loading
     * records, too. Default false.
     */
    dataIntegrity?: boolean;
    /** Distribution of records. Default `uniform`. */
    requestDistribution?: 'uniform' | 'zipfian' | 'latest' | 'hotspot' | 'exponential' | 'sequential';
    /** Share of hot records (0 to 1). Default 0.2. */
    hotspotDataFraction?: number;
    /** Share of operations on hot records (0 to 1). Default 0.8. */
    hotspotOpnFraction?: number;
    /** Percentage of operations on the latest records. Default 95. */
    exponentialPercentile?: number;
    /** Share of the latest records (0 to 1). Default 0.8571428571. */
    exponentialFrac?: number;
    /** Minimum records per scan. Default 1. */
    minScanLength?: number;
    /** Maximum records per scan. Default 1000. */
    maxScanLength?: number;
    /** Default `uniform`. */
    scanLengthDistribution?: 'uniform' | 'zipfian';
    /** Seed of all random draws. Default 1. */
    seed?: number;
    /** Count a read without a record as successful. Default false. */
    allowMisses?: boolean;
  }

  /** Options of a call. */
  interface Call {
    /**
     * `load` inserts each record once, shared by all clients of a step: use it in a scenario with
     * `untilDone: true`. `run` does operations of the mix.
     */
    phase: 'load' | 'run';
    /** Operations in the call. The default for `load` is all remaining records. */
    iterations?: number;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /** Counts of a call. */
  interface Result {
    succeeded: number;
    failed: number;
    /** Failed operations that read a wrong value. */
    wrong: number;
    /** Reads and scans that found nothing. */
    missing: number;
    /** Records returned by scans. */
    records: number;
    /** Bytes of values written. */
    bytesSent: number;
    /** Bytes of values read. */
    bytesReceived: number;
    /** Records not loaded yet; 0 in phase `run`. */
    left: number;
    seconds: number;
  }
}

/// <reference path="../k6mod/index.d.ts" />
/**
 * The core workloads of YCSB, done in Go: `ycsb` of the clients of k6/x/memcached, k6/x/umemcache
 * and k6/x/resp, of layouts of k6/x/nats, and of databases of k6/x/sql.
 *
 * In a step of client-sweep each operation is one of the step, under the name that YCSB gives it:
 * READ, UPDATE, INSERT, SCAN and READ-MODIFY-WRITE. Name them in the scenario's `opNames`.
 * Operations that fail are counted, and do not throw. The step's report has in `extra.counters`
 * how long the reads and the updates of all read-modify-writes took together,
 * `readModifyWriteReadMicroseconds` and `readModifyWriteUpdateMicroseconds`, and `scannedRecords`.
 */
declare namespace XK6SweepYCSB {
  /**
   * A workload, with the names of YCSB's properties. Clients of a module with equal options and the
   * same server insert into one workload: what one has inserted, others read.
   */
  interface Workload {
    /**
     * Sets `mix`, `requestDistribution` and `maxScanLength` as YCSB's files workloada to workloadf
     * do. Other options count more.
     */
    workload?: 'a' | 'b' | 'c' | 'd' | 'e' | 'f';
    /** Shares of operations, in proportion to each other. Default: read 0.95, update 0.05. */
    mix?: { read?: number; update?: number; insert?: number; scan?: number; readModifyWrite?: number };
    /** Records that are loaded. Default 1000. */
    recordCount?: number;
    /**
     * How many operations `zipfian` expects: it leaves room for twice as many inserts as are among
     * them. Default `recordCount`.
     */
    operationCount?: number;
    /** Whether keys have the number of the record, or its hash. Default `hashed`. */
    insertOrder?: 'hashed' | 'ordered';
    /** Digits of a key at least. Default 1. */
    zeroPadding?: number;
    /** Default 10. */
    fieldCount?: number;
    /** Bytes of a field, at most. Default 100. */
    fieldLength?: number;
    /** Bytes of a field, at least. Default 1. Not of `constant`. */
    minFieldLength?: number;
    /** Default `constant`. */
    fieldLengthDistribution?: 'constant' | 'uniform' | 'zipfian';
    /** Whether a read is of all fields, or of one. Default true. */
    readAllFields?: boolean;
    /**
     * Whether an update is of all fields, or of one. Default false. Where a record is one value, as
     * in caches, it must be true.
     */
    writeAllFields?: boolean;
    /**
     * Whether the value of a field follows from the key: a read of another value has failed. It has
     * to be set when records are loaded, too. Default false.
     */
    dataIntegrity?: boolean;
    /** How records are drawn. Default `uniform`. */
    requestDistribution?: 'uniform' | 'zipfian' | 'latest' | 'hotspot' | 'exponential' | 'sequential';
    /** Which part of the records is hot. Default 0.2. */
    hotspotDataFraction?: number;
    /** Which part of the operations goes to hot records. Default 0.8. */
    hotspotOpnFraction?: number;
    /** Percent of the operations that go to the latest records. Default 95. */
    exponentialPercentile?: number;
    /** Which part of the records are the latest. Default 0.8571428571. */
    exponentialFrac?: number;
    /** Records that a scan reads, at least. Default 1. */
    minScanLength?: number;
    /** Records that a scan reads, at most. Default 1000. */
    maxScanLength?: number;
    /** Default `uniform`. */
    scanLengthDistribution?: 'uniform' | 'zipfian';
    /** Of all that is drawn. Default 1. */
    seed?: number;
    /** A read that finds no record counts as done. Default false: it has failed. */
    allowMisses?: boolean;
  }

  /** What a call does. */
  interface Call {
    /**
     * `load` inserts records, each once by all clients of a step together: use it in a scenario
     * with `untilDone: true`. `run` does operations of the mix.
     */
    phase: 'load' | 'run';
    /** Operations of the call. `load` needs none: all records that are left. */
    iterations?: number;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /** What a call came to. */
  interface Result {
    succeeded: number;
    failed: number;
    /** Failed operations that read another value than was written. */
    wrong: number;
    /** Reads and scans that found nothing. */
    missing: number;
    /** Records that scans returned. */
    records: number;
    /** Of values that were written. */
    bytesSent: number;
    /** Of values that were read. */
    bytesReceived: number;
    /** Records that nobody has loaded yet; 0 in phase `run`. */
    left: number;
    seconds: number;
  }
}

/// <reference path="../k6x/index.d.ts" />
/**
 * k6/x/memcached, k6/x/umemcache and k6/x/resp do many operations in one call, in Go:
 *
 *     client.run({ iterations: 1000, mix: { get: 9, set: 1 }, keys: { count: 5000 } });
 *
 * Each operation counts under its own name (get, set, delete, touch, getOrSet, getMulti; hitRate
 * counts getOrSet): list them in the scenario's `ops`. In a sweep, the call returns when the
 * client's share is done; a pipeline of n may exceed it by up to n - 1. Calls before `sweep.run`,
 * and the first one of a function without it, are not measured.
 *
 * In an open loop, the call waits until each operation is due; a pipeline of n takes n places of
 * the schedule, due with the first. In a duet at a rate, a call does one operation or pipeline.
 *
 * Failed operations are counted and do not throw. Wrong options and the end of the test throw. A
 * prefill that fails ends the test with exit code 108 and names the key.
 *
 * The report has hits and misses in `extra`. The module's metrics count commands at least once a
 * second; the sweep has the durations.
 */
declare namespace XK6SweepCaches {
  /** Relative shares of operations. Default: get 90, set 10. */
  interface Mix {
    get?: number;
    set?: number;
    delete?: number;
    touch?: number;
    /** Reads a key and, on a miss, writes it. */
    getOrSet?: number;
    /** Reads `batch` keys at once. */
    getMulti?: number;
  }

  /** Keys and their distribution. */
  interface Keys {
    /**
     * `uniform` (default); `zipf` with `exponent` (default 0.99); `hotcold`: `hotAccess` percent
     * (default 80) of the operations use the first `hotPercent` percent (default 20) of the keys;
     * `sequential`: each client repeats its share of the keys in order; `gaussian` around the key
     * `mean` (default: the middle) with `deviation` (default: a sixth of the keys).
     */
    distribution?: 'uniform' | 'zipf' | 'hotcold' | 'sequential' | 'gaussian';
    /** Default 10000. */
    count?: number;
    /** Default `"key:"`. */
    prefix?: string;
    /** Bytes of a key, including the prefix. Default: the prefix and 12 digits. */
    size?: number;
    /** With zipf, it only defines which keys count as hot. */
    hotPercent?: number;
    hotAccess?: number;
    exponent?: number;
    mean?: number;
    deviation?: number;
  }

  /** Sizes of values in bytes. A key's value always has the same size. */
  type Sizes = number | { min: number; max: number } | { size: number; weight: number }[];

  /**
   * A command of the store's own protocol. k6/x/resp and k6/x/memcached run them.
   *
   * ```js
   * client.run({
   *   iterations: 1000, keys: { count: 10000 }, values: 100,
   *   commands: [
   *     { op: 'hset', args: ['HSET', '{key}', 'field', '{value}'], share: 20 },
   *     { op: 'hget', args: ['HGET', '{key}', 'field'], share: 80, reply: { value: '{value}' } },
   *   ],
   * });
   * ```
   */
  interface Command {
    /** The operation's name in the report and in metrics: letters, digits, `-`, `_` and `.`. */
    op: string;
    /**
     * The command's name and its arguments. `{key}` is the key that was drawn, and `{value}` that
     * key's value, also within an argument: `'{{key}}:profile'` makes the key a hash tag.
     */
    args: readonly (string | number)[];
    /** In proportion to those of the others. Default 1. */
    share?: number;
    /**
     * What the reply has to be; any other is a failed operation (and counts as `wrong`). Without it
     * every reply but an error will do, null as well.
     */
    reply?: {
      /** The reply's type: see the module. */
      type?: string;
      /** The reply's text, which may hold `{key}` and `{value}`. */
      value?: string;
    };
  }

  /**
   * A workload. Equal options give equal keys and values in every module, and client c of n draws
   * the same operations in every step. Draws continue from call to call with equal options, and
   * restart with each step.
   */
  interface Workload {
    /** Operations in the call. Set this or `duration`; `prefill` needs neither. */
    iterations?: number;
    /** Length of the call. */
    duration?: XK6Sweep.Duration;
    mix?: Mix;
    /**
     * Commands that are run instead of a mix. `prefill` runs each of them once for each key.
     */
    commands?: readonly Command[];
    keys?: Keys;
    /** Default 100. */
    values?: Sizes;
    /**
     * Compare values read with the expected ones; a wrong value fails the operation. Default true.
     */
    verify?: boolean;
    /** Keys in a getMulti. Default 10. */
    batch?: number;
    /**
     * Commands sent before their replies are read. Default 1. A command then has its pipeline's
     * duration.
     */
    pipeline?: number;
    /** Seed of all random draws. Default 1. */
    seed?: number;
    /** Time to live of values, up to 30 days, such as `"60s"`. Default 0: no expiry. */
    ttl?: string | 0;
    /**
     * By default, a get or getMulti fails if it misses a key that `prefill` has written in this
     * test, because a cache that has lost its values answers faster. True counts it as successful.
     * Set it if the server may evict, values expire, or the mix deletes. Keys prefilled by another
     * instance of k6 do not count.
     */
    allowMisses?: boolean;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * Counts of a call. Failed operations count only in `failed`, `wrong`, and `misses` of prefilled
   * keys. Outside a sweep, k6 logs the first call with failed operations.
   */
  interface Result {
    succeeded: number;
    failed: number;
    /** Failed operations that read a wrong value. */
    wrong: number;
    hits: number;
    misses: number;
    /** Hits and misses of hot keys, with hotcold and zipf. */
    hotAccesses: number;
    hotHits: number;
    /** Values of getOrSet operations that the server did not keep. Not failures. */
    refused: number;
    /** Bytes of values written. */
    bytesSent: number;
    /** Bytes of values read. */
    bytesReceived: number;
    seconds: number;
  }

  /**
   * The published hit-rate benchmark (imchuncai/umem-cache-benchmark): the same keys, values and
   * accesses.
   */
  interface HitRate {
    /** Bytes, and whole percent. */
    config: {
      /** Memory limit of the server. */
      memory: number;
      /** Key and value together. */
      item: number;
      /** Sizes are uniform up to `item`. Default false: all are `item`. */
      random?: boolean;
      /** Hot cases, percent. Default 20. */
      hot?: number;
      /** Accesses to hot cases, percent. Default 80. */
      access?: number;
      /** Size of the hot cases, percent of `memory`. Default 80. */
      hotMemory?: number;
    };
    /**
     * `warmup` fills the cache, `timed` is measured. All clients of a step (or all VUs outside
     * steps) share a pass and do each access once. Call the first before `sweep.run` and the second
     * inside it, in a scenario with `untilDone: true`, so that the step ends with the pass.
     */
    pass: 'warmup' | 'timed';
    /** Accesses in this call. Default 0: all that are left. */
    iterations?: number;
    /** Compare hits with the expected values. Default false, as in the original. */
    verify?: boolean;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  interface HitRateResult extends Result {
    /** Includes failed ones. The total of a timed pass is a published figure. */
    hotAccesses: number;
    /** Accesses that no client has claimed. */
    left: number;
  }
}

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
    /** Default 10. */
    fieldCount?: number;
    /** Bytes of a field. Default 100. */
    fieldLength?: number;
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
    requestDistribution?: 'uniform' | 'zipfian' | 'latest';
    /** Minimum records per scan. Default 1. */
    minScanLength?: number;
    /** Maximum records per scan. Default 1000. */
    maxScanLength?: number;
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
  }
}

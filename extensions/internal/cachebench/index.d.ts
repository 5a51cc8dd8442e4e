/// <reference path="../k6mod/index.d.ts" />
/**
 * What the modules of caches have in common: k6/x/memcached, k6/x/umemcache and k6/x/resp do many
 * operations in one call, in Go.
 *
 * In a step of client-sweep each operation is one of the step, under its own name (get, set,
 * delete, touch, getOrSet, getMulti; those of hitRate are getOrSet): name them in the scenario's
 * `ops`. The call returns when the client's share is done or the step starts no more operations,
 * after the operation, or the pipeline, that is under way: a pipeline of n overshoots a share by at
 * most n - 1. The call before `sweep.run`, and the first one of a function without it, are not
 * measured, and are not cut by the share. In a step of an open loop each operation is one of the
 * schedule: the call waits until the next one is due, and the first is the one that it was made
 * for. A pipeline of n takes n places, which are due with the first. In a duet at a rate the call
 * does one operation, or pipeline. The step's report has hits and misses
 * in `extra`. Operations that fail are counted, there and in the result, and do not throw; only
 * what keeps the call from going on does, with the module's error: options that make no sense, the
 * end of the test. A prefill that fails ends the test with exit code 108 and a message that names
 * the key, whatever the script catches.
 *
 * The module's metrics have the commands that go to the server, at least once a second; durations
 * are the sweep's.
 */
declare namespace XK6SweepCaches {
  /** Shares of operations, in proportion to each other. Default: get 90, set 10. */
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

  /** Which keys there are, and how they are drawn. */
  interface Keys {
    /**
     * `uniform` (default); `zipf` (`exponent`, default 0.99); `hotcold`: `hotAccess` percent
     * (default 80) of the operations go to the first `hotPercent` percent (default 20) of the keys;
     * `sequential`: each client goes round its share of the keys; `gaussian` around the key `mean`
     * (default: the middle) with `deviation` (default: a sixth of the keys).
     */
    distribution?: 'uniform' | 'zipf' | 'hotcold' | 'sequential' | 'gaussian';
    /** Default 10000. */
    count?: number;
    /** Default `"key:"`. */
    prefix?: string;
    /** Bytes of a key, its prefix included. Default: the prefix and 12 digits. */
    size?: number;
    /** Also of zipf, where it only says which keys count as hot. */
    hotPercent?: number;
    hotAccess?: number;
    exponent?: number;
    mean?: number;
    deviation?: number;
  }

  /** Sizes of values, in bytes. Which size a key's value has follows from the key. */
  type Sizes = number | { min: number; max: number } | { size: number; weight: number }[];

  /**
   * A workload. Equal options make equal keys and values, in every module; client c of n draws the
   * same operations in every step. A client's draws go on from call to call with equal options, and
   * begin anew with a step.
   */
  interface Workload {
    /** Operations of the call. Either this or `duration`; `prefill` needs neither. */
    iterations?: number;
    /** How long the call goes on. */
    duration?: XK6Sweep.Duration;
    mix?: Mix;
    keys?: Keys;
    /** Default 100. */
    values?: Sizes | { size: Sizes };
    /**
     * Whether what is read is compared with what has to be there: another value is a failed
     * operation. Default true.
     */
    verify?: boolean;
    /** Keys of a getMulti. Default 10. */
    batch?: number;
    /**
     * Commands that are sent before their replies are read. Default 1. A command's duration is then
     * that of its pipeline.
     */
    pipeline?: number;
    /** Of all that is drawn. Default 1. */
    seed?: number;
    /** How long values live, up to 30 days: a string such as `"60s"`. Default 0: for ever. */
    ttl?: string | 0;
    /**
     * A get or a getMulti that does not find a key which `prefill` has written in this test is a
     * failed operation: a cache that has lost its values answers faster. With true it counts as
     * done. Set it where the server may evict, where values expire, and where the mix deletes.
     * Default false. Keys that another instance of k6 has prefilled are not known here.
     */
    allowMisses?: boolean;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * What a call came to. What failed is in `failed` (and `wrong`, and `misses` of prefilled keys)
   * and nowhere else. Outside of a sweep, the log tells of the first call in which operations
   * failed.
   */
  interface Result {
    succeeded: number;
    failed: number;
    /** Failed operations that brought another value than the key's. */
    wrong: number;
    hits: number;
    misses: number;
    /** Hits and misses of hot keys, which hotcold and zipf have. */
    hotAccesses: number;
    hotHits: number;
    /** Values of a getOrSet that the server would not keep, which is no failure. */
    refused: number;
    /** Of values that were written. */
    bytesSent: number;
    /** Of values that were read. */
    bytesReceived: number;
    seconds: number;
  }

  /** What a prefill came to: the keys that this client has written, none where others have. */
  interface Prefilled {
    succeeded: number;
    /** Always 0: what fails ends the test. */
    failed: number;
    bytesSent: number;
    bytesReceived: number;
    seconds: number;
  }

  /**
   * The published hit-rate benchmark (imchuncai/umem-cache-benchmark): the same keys, values and
   * accesses.
   */
  interface HitRate {
    /** A published configuration, or one of its own: bytes, and whole percent. */
    config:
      | '2g-513k'
      | '100m-512b'
      | 'random-2g-1m'
      | 'random-100m-1k'
      | {
          /** The server's memory limit. */
          memory: number;
          /** Key and value together. */
          item: number;
          /** Sizes are uniform up to `item`. Default false: all are `item`. */
          random?: boolean;
          /** Of the cases. Default 20. */
          hot?: number;
          /** Of the accesses, that go to hot cases. Default 80. */
          access?: number;
          /** Size of the hot cases, of `memory`. Default 80. */
          hotMemory?: number;
        };
    /**
     * `warmup` fills the cache, `timed` is measured. All clients of a step share a pass, and each
     * of its accesses is done once, whatever their number; so do all VUs outside of steps. Do the
     * first before `sweep.run` and the second in it, in a scenario with `untilDone: true`: the step
     * ends when the pass is over.
     */
    pass: 'warmup' | 'timed';
    /** Accesses of this call. Default 0: all that are left. */
    iterations?: number;
    /** Whether hits are compared with what was written. Default false, as in the original. */
    verify?: boolean;
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  interface HitRateResult {
    succeeded: number;
    failed: number;
    wrong: number;
    hits: number;
    misses: number;
    /** Failed ones included: those of a whole timed pass are a published figure. */
    hotAccesses: number;
    hotHits: number;
    refused: number;
    /** Of values that were written. */
    bytesSent: number;
    /** Of values that were read. */
    bytesReceived: number;
    /** Accesses that nobody has claimed yet. */
    left: number;
    seconds: number;
  }
}

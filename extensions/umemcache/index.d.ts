/// <reference path="../internal/workload/index.d.ts" />
/// <reference path="../internal/k6x/index.d.ts" />
/**
 * k6/x/umemcache is a client of umem-cache that speaks its protocol (TCP over IPv6).
 *
 * A call blocks its VU until it is done, and throws an {@link UmemcacheError} if it fails.
 *
 * Metrics, with the tags `op` (connect, get, getOrSet, set, delete) and `outcome` (ok, the error's
 * kind, or `fill` if getOrSet's function threw):
 * - `umemcache_ops` (Counter) and `umemcache_op_duration` (Trend in milliseconds; not under the
 *   executor client-sweep, which measures durations itself).
 * - `umemcache_hits` and `umemcache_misses` (Counters): keys requested by get and getOrSet.
 * - `umemcache_retries` (Counter): operations that needed a second connection, because the server
 *   had closed the first one without an answer.
 * - `umemcache_lost_fills` (Counter): retries that mean that the server had discarded the previous
 *   value stored on that connection.
 * - k6's own `data_sent` and `data_received`.
 *
 * `umemcache_failed` (Rate, with the tag `op`) is the share of failed operations, like
 * `http_req_failed` for requests. A threshold: `umemcache_failed: ['rate<0.01']`.
 */
declare module 'k6/x/umemcache' {
  /**
   * Bytes. A string is sent as UTF-8; of a typed array or DataView, the part of the buffer that it
   * shows.
   */
  export type Bytes = string | ArrayBuffer | ArrayBufferView;

  /**
   * How to reach the server. The server does not report its settings: wrong options here cause
   * timeouts or misses. Times must be positive. Shared connections use k6's options (hosts, dns,
   * blockHostnames, blacklistIPs, localIPs) of the first client's VU.
   */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * The server's protocol, by its commit: `"G1"` since 53f97eb (2025-12-22, the published
     * benchmark), `"G2"` since 855aee6 (2026-06-18), `"G3"` (default) since 32cedee (2026-07-09).
     */
    generation?: 'G1' | 'G2' | 'G3';
    /** THREAD_NR of the server's build, at most 1024. Default, and for 0: 4. */
    threads?: number;
    /**
     * Maximum number of connections to each thread for all clients of this process; further
     * operations wait. Default, and for 0: 120. That is just below the server's default of 128
     * slots per thread (MAX_CONN / THREAD_NR), since slots of closed connections become free a
     * little later.
     */
    connectionsPerThread?: number;
    /**
     * Timeout of an operation, from the wait for a connection to the last byte. Default `"60s"`.
     * Use less if clients set or delete the same keys at the same time: see `lock_wait`.
     */
    timeout?: XK6Sweep.Duration;
    /**
     * TLS 1.3. The server needs kernel TLS, and requires a certificate with the client's IP
     * address. Default: none.
     */
    tls?: boolean | XK6Sweep.TLSOptions;
    /** Whether the address belongs to a cluster's node (any of them). Default false. */
    cluster?: boolean;
    /**
     * Maximum length of a value in bytes, sent or received. Default, and for 0: 25165824, the limit
     * of a server with 100 MiB in four threads.
     */
    maxValue?: number;
    /** The form of returned values. Default: a string. */
    values?: 'string' | 'binary';
  }

  /** Options of every call. */
  export interface Tagged {
    /** Tags of the call's metrics. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * The error of a failed call.
   *
   * | kind | |
   * |---|---|
   * | `connect` | the server could not be reached within connectTimeout |
   * | `refused` | closed in the handshake: the server has fewer threads or no free slot |
   * | `connection` | the connection broke; before an answer, the second one too |
   * | `lock_lost` | the fill lock was deleted or held too long, or the server has no room |
   * | `lock_wait` | no answer to a get within timeout, because of a fill lock (G3) |
   * | `timeout` | no answer within timeout in other cases |
   * | `busy` | the server's thread has no free slot, or no connection became free within timeout |
   * | `cancelled` | the test ended |
   * | `too_large` | the value, sent or received, is larger than maxValue |
   * | `fill` | getOrSet's function could not be run; its own exceptions are thrown unchanged |
   * | `protocol` | the answer does not fit the protocol of this generation |
   * | `cluster` | the cluster had no leader, or kept changing, within timeout |
   * | `usage` | the call itself is wrong |
   * | `internal` | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   */
  export interface UmemcacheError extends Error {
    name: 'UmemcacheError';
    /** Always 0: umem-cache has no codes. */
    code: number;
    kind:
      | 'connect'
      | 'refused'
      | 'connection'
      | 'lock_lost'
      | 'lock_wait'
      | 'timeout'
      | 'busy'
      | 'cancelled'
      | 'too_large'
      | 'fill'
      | 'protocol'
      | 'cluster'
      | 'usage'
      | 'internal';
  }

  /**
   * A client. All clients of this process with equal options share connections, which are opened
   * when needed and close with the last of these clients. Create one client per VU in the init
   * context, and use it in functions.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url host:port of IPv6, of one server or of a cluster's node. Default `"[::1]:10047"`.
     *   umem-cache listens only on IPv6; k6 resolves names to IPv4 first, unless its options have
     *   `dns: { policy: 'preferIPv6' }`
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /** The protocol, from the options. */
    readonly generation: 'G1' | 'G2' | 'G3';

    /**
     * Opens one more connection to each thread, up to the limit. Without it, operations open the
     * connections that they need, within their duration. In a sweep, the clients connect one after
     * another, always in the same order.
     *
     * @throws kind `connect`, `busy` or `refused`; `usage` in the init context, as all methods but
     *   close
     */
    connect(options?: Tagged): void;
    /** The form of `connect` that returns a promise. */
    asyncConnect(options?: Tagged): Promise<void>;

    /**
     * Returns the value of a key, or null.
     *
     * The protocol has no such command. This sends the command of getOrSet; on a miss it closes the
     * connection, the only way to decline the fill lock, so a later operation has to connect again.
     * If another client is storing the key, it waits for that value.
     *
     * @param key at most 255 bytes, 247 in a cluster
     */
    get(key: Bytes, options?: Tagged): string | ArrayBuffer | null;
    /** The form of `get` that returns a promise. */
    asyncGet(key: Bytes, options?: Tagged): Promise<string | ArrayBuffer | null>;

    /**
     * Returns the value of a key. If the key does not exist, this client gets its fill lock, stores
     * the given value, or the function's result, and returns it. Meanwhile other clients that
     * request the key wait. If they wait longer than one to two times the server's TCP_TIMEOUT (3
     * s), one of them gets the lock.
     *
     * The function is called while the lock is held, within the operation's duration. It must not
     * use the same client or return a promise. If it throws, nothing is stored, and getOrSet throws
     * its exception.
     *
     * In G2 and G3 the server does not confirm the value. If it was discarded,
     * `umemcache_lost_fills` counts it when its connection is used again.
     */
    getOrSet(key: Bytes, value: Bytes | (() => Bytes), options?: Tagged): string | ArrayBuffer;
    /** The form of `getOrSet` that returns a promise. It accepts a value, but no function. */
    asyncGetOrSet(key: Bytes, value: Bytes, options?: Tagged): Promise<string | ArrayBuffer>;

    /**
     * Stores a value. The protocol has no such command: this is a delete and a getOrSet, repeated
     * if another client stores a value in between or takes the lock, as when several clients set
     * the same key. Only G1 confirms the value; otherwise see getOrSet. It throws kind `lock_lost`
     * if the lock was taken ten times, or there is no room for the value.
     */
    set(key: Bytes, value: Bytes, options?: Tagged): void;
    /** The form of `set` that returns a promise. */
    asyncSet(key: Bytes, value: Bytes, options?: Tagged): Promise<void>;

    /** Deletes a key, whether it exists or not, and takes the fill lock from its holder. */
    delete(key: Bytes, options?: Tagged): void;
    /** The form of `delete` that returns a promise. */
    asyncDelete(key: Bytes, options?: Tagged): Promise<void>;

    /**
     * Writes all keys of a workload; each client writes its share. This happens once per process
     * for the same server, keys and values: by the clients of the first step, in setup(), or by the
     * first VUs of k6's own executors. Only the module's metrics count these writes. Call it before
     * `sweep.run`: keys cannot be written while operations are measured.
     *
     * @throws an error that names the key that could not be written
     */
    prefill(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /**
     * Runs a workload's operations in Go. umem-cache has no touch, getMulti, pipeline or time to
     * live. A getOrSet whose value the server rejects (`lock_lost`) fails; `refused` is always 0.
     * On Linux the clients continue in the order in which their answers arrive. With a cluster, or
     * on other systems, each client runs in its own goroutine, in any order.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;

    /**
     * Runs accesses of a pass of the published hit-rate benchmark in Go, each a getOrSet. One whose
     * value the server rejects (`lock_lost`) fails, and is neither a hit nor a miss.
     */
    hitRate(options: XK6SweepCaches.HitRate): XK6SweepCaches.HitRateResult;
    /**
     * Runs operations of a core workload of YCSB. A record is one value, so scans are not
     * supported, and `writeAllFields` is required.
     *
     * @throws kind `usage`: an option is unknown or has a wrong value, or the store does not
     *   support it
     */
    ycsb(workload: XK6SweepYCSB.Workload, call: XK6SweepYCSB.Call): XK6SweepYCSB.Result;

    /** Gives up this client's share of the connections. The next operation takes a new one. */
    close(): void;
    /** The form of `close` that returns a promise. It waits for earlier calls. */
    asyncClose(): Promise<void>;
  }

  const umemcache: { Client: typeof Client };
  export default umemcache;
}

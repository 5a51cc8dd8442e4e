/// <reference path="../internal/cachebench/index.d.ts" />
/// <reference path="../internal/k6mod/index.d.ts" />
/**
 * k6/x/umemcache: a client of umem-cache, over its own protocol (TCP over IPv6).
 *
 * Every call blocks its VU until it is done, and throws an {@link UmemcacheError} when it fails.
 * Metrics: `umemcache_ops` (Counter) and `umemcache_op_duration` (Trend in milliseconds; not under
 * the executor client-sweep, which has durations of its own), `umemcache_hits` and
 * `umemcache_misses` (Counters: keys asked for by get and getOrSet), each with the tags `op`
 * (connect, get, getOrSet, set, delete) and `outcome` (ok, the error's kind, or `fill` when
 * getOrSet's function threw); `umemcache_retries` (Counter: operations that were done on a second
 * connection, because the server had ended the first one without an answer) and
 * `umemcache_lost_fills` (Counter: how many of these found out so that the server had thrown away
 * the value stored before them on that connection); besides k6's own `data_sent` and
 * `data_received`.
 *
 * `umemcache_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `umemcache_failed: ['rate<0.01']`.
 */
declare module 'k6/x/umemcache' {
  /**
   * A string is sent as UTF-8. Of a typed array or DataView, the part of the buffer that it shows.
   */
  export type Bytes = string | ArrayBuffer | ArrayBufferView;

  /**
   * How to reach the server. None of it can be asked of the server: what is wrong here shows as
   * timeouts or misses. Times must be more than 0. Clients that share connections connect with k6's
   * options (hosts, dns, blockHostnames, blacklistIPs, localIPs) as the VU of the first of them has
   * them.
   */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * The protocol that the server speaks, by its commit: `"G1"` from 53f97eb (2025-12-22, the
     * published benchmark) on, `"G2"` from 855aee6 (2026-06-18) on, `"G3"` (default) from 32cedee
     * (2026-07-09) on.
     */
    generation?: 'G1' | 'G2' | 'G3';
    /**
     * THREAD_NR, with which the server was built, at most 1024. Default 4; 0 stands for the
     * default.
     */
    threads?: number;
    /**
     * How many connections all clients of this process together may have to each thread, at most;
     * who finds none free waits. Default 120; 0 stands for the default. Connections are always
     * shared, as the server has few slots: this is of the 128 slots that the server has by default
     * (MAX_CONN / THREAD_NR): those of connections that were just closed are not free at once.
     */
    connectionsPerThread?: number;
    /**
     * How long an operation may take, from waiting for a connection to the last byte. Default
     * `"60s"`. Give less where clients set or delete the same keys at the same time: see
     * `lock_wait`.
     */
    timeout?: XK6Sweep.Duration;
    /**
     * TLS 1.3, as the server has it: it needs kernel TLS, and asks for a certificate that names the
     * client's IP address. Default: none.
     */
    tls?: boolean | XK6Sweep.TLSOptions;
    /** Whether the address is that of a cluster's node, any of them. Default false. */
    cluster?: boolean;
    /**
     * Bytes of the largest value that is sent and accepted. Default 25165824, which is what a
     * server of 100 MiB in four threads takes; 0 stands for the default.
     */
    maxValue?: number;
    /** What values come out as: a string (default) or an ArrayBuffer. */
    values?: 'string' | 'binary';
  }

  /** What each call takes. */
  export interface Tagged {
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * What went wrong.
   *
   * | kind | |
   * |---|---|
   * | `connect` | the server could not be reached within connectTimeout |
   * | `refused` | it closed the connection in the handshake: it has fewer threads, or no free slot in one that has never answered |
   * | `connection` | the connection broke, twice if it was before an answer |
   * | `lock_lost` | a del took the fill lock, it was held for too long while others waited, or the server has no room for the value |
   * | `lock_wait` | no answer to a get in time: somebody else holds the fill lock, or two dels took it from this client at once (G3) |
   * | `timeout` | no answer in time otherwise |
   * | `busy` | the server has no free slot in this thread, or no connection became free within timeout |
   * | `cancelled` | the test ended |
   * | `too_large` | the value is larger than maxValue: the one that was to be sent, or the one that the server has |
   * | `fill` | getOrSet's function could not be run; what it throws itself is thrown as it is |
   * | `protocol` | no server of this generation answers like this |
   * | `cluster` | the cluster has no leader, or no peace, within timeout |
   * | `usage` | the call itself is wrong |
   * | `internal` | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
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
   * One user of connections that all clients of this process with the same options share: they are
   * opened as they are needed and closed when the last of these clients, or its VU, has no more use
   * for them. Make it in the init context, once per VU; use it in functions.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url host:port of IPv6, of one server or of a node of a cluster. Default
     *   `"[::1]:10047"`. umem-cache listens on nothing else. k6 resolves names, to IPv4 first
     *   unless its option says `dns: { policy: 'preferIPv6' }`
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /** The protocol, from the options. */
    readonly generation: 'G1' | 'G2' | 'G3';

    /**
     * Opens one more connection to each thread, as far as there may be more. Otherwise connections
     * are opened by the operations that need them, in their time.
     * In a sweep, clients do it in their order, one after another.
     *
     * @throws kind `connect`, `busy` or `refused`; `usage` in the init context, as all methods but
     *   close
     */
    connect(options?: Tagged): void;
    /** The form of `connect` that returns a promise. */
    asyncConnect(options?: Tagged): Promise<void>;

    /**
     * The value of a key, or null when there is none.
     *
     * The protocol knows no such command. This is the one behind getOrSet, and closing the
     * connection is the only way to decline what that asks for on a miss: a miss costs another
     * operation a new connection. Where somebody else is about to store the key, it waits for that
     * value.
     *
     * @param key at most 255 bytes, 247 in a cluster
     */
    get(key: Bytes, options?: Tagged): string | ArrayBuffer | null;
    /** The form of `get` that returns a promise. */
    asyncGet(key: Bytes, options?: Tagged): Promise<string | ArrayBuffer | null>;

    /**
     * The value of a key. When there is none, this client gets the key's fill lock, sends the value
     * given, or returned by the function, and returns it; whoever else asks for the key waits for
     * that. When they do so for longer than one to two times the server's TCP_TIMEOUT (3 s), one of
     * them gets the lock.
     *
     * The function is called while the lock is held, and must not use the same client. It cannot be
     * asynchronous. What it throws is thrown, and nothing is stored. Its time is part of the
     * operation's.
     *
     * In G2 and G3 the server does not say whether it has taken the value: if it has not,
     * `umemcache_lost_fills` counts it as soon as its connection is used again.
     */
    getOrSet(key: Bytes, value: Bytes | (() => Bytes), options?: Tagged): string | ArrayBuffer;
    /** The form of `getOrSet` that returns a promise. It takes a value, and no function. */
    asyncGetOrSet(key: Bytes, value: Bytes, options?: Tagged): Promise<string | ArrayBuffer>;

    /**
     * Stores a value. The protocol knows no such command: this is a del, and then a getOrSet, both
     * again when somebody else has stored a value in between, or has taken the lock, as clients do
     * that set the same key at the same time. Only G1 says that it was taken: in the others it is
     * counted as said of getOrSet. Kind `lock_lost`: it was taken ten times, or the value has no
     * room.
     */
    set(key: Bytes, value: Bytes, options?: Tagged): void;
    /** The form of `set` that returns a promise. */
    asyncSet(key: Bytes, value: Bytes, options?: Tagged): Promise<void>;

    /** Deletes a key, whether it is there or not, and takes the fill lock from whoever has it. */
    delete(key: Bytes, options?: Tagged): void;
    /** The form of `delete` that returns a promise. */
    asyncDelete(key: Bytes, options?: Tagged): Promise<void>;

    /**
     * Writes all keys of a workload: each client writes its share. That is done once for a server
     * and equal keys and values in this process: by the clients of the first step, by setup(), or
     * by the VUs of k6's own executors, whoever comes first. It is recorded nowhere but in the
     * module's metrics. Call it before `sweep.run`; where keys would be written while operations
     * are measured, it is an error.
     *
     * @throws what failed; the message names the key
     */
    prefill(workload: XK6SweepCaches.Workload): XK6SweepCaches.Prefilled;
    /**
     * Does a workload's operations, in Go. umem-cache knows neither touch nor getMulti, pipelines
     * nor a time to live. A getOrSet of which the server has not taken the value (`lock_lost`) has
     * failed; `refused` is always 0. Clients take turns in the order in which their answers came;
     * those of a cluster, or of k6 elsewhere than on Linux, are on goroutines of their own, where
     * one may go before others whose answers came first.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;

    /**
     * Does accesses of a pass of the published hit-rate benchmark, in Go, each of them a getOrSet.
     * One of which the server has not taken the value (`lock_lost`) has failed: it is neither a hit
     * nor a miss.
     */
    hitRate(options: XK6SweepCaches.HitRate): XK6SweepCaches.HitRateResult;

    /** Gives up this client's share in the connections. The next operation takes a new one. */
    close(): void;
    /**
     * The form of `close` that returns a promise: it waits for the calls that were begun before.
     */
    asyncClose(): Promise<void>;
  }

  const umemcache: { Client: typeof Client };
  export default umemcache;
}

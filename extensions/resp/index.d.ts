/// <reference path="../internal/workload/index.d.ts" />
/// <reference path="../internal/k6x/index.d.ts" />
/**
 * k6/x/resp benchmarks servers that speak RESP, such as Redis, Valkey and pogocache, and Redis
 * Clusters. One call runs many operations, written in Go. For single commands in a script use
 * k6/x/redis.
 *
 * Replies are limited to strings of 512 MiB and 1,000,000 elements, and memory grows with the bytes
 * that arrive. k6/x/redis has no such limit: a server that announces a huge length can end k6. Use
 * it with servers that you trust.
 *
 * In a Redis Cluster (`cluster: true`) each command goes to the primary of its key's slot. A
 * command that was not executed, because slots move or a primary fails over (MOVED, ASK, TRYAGAIN,
 * CLUSTERDOWN, LOADING, or no connection), is repeated for up to `timeout`; the operation's
 * duration includes that. If the connection breaks before the answer, the operation fails, and it
 * is unknown whether the server has executed it. A pipeline is split by server. All keys of a
 * getMulti, or of any command with several keys, must have the same slot: use a hash tag, such as
 * the prefix `{user}:`. Sentinel is not supported: give the primary's address.
 *
 * Metrics (Counters): `resp_ops`, `resp_hits` and `resp_misses` (requested keys that were found or
 * not found), with the tags `op` (connect, get, set, delete, touch, getMulti, insert, read, update,
 * scan, info, the names of `commands`; each command of a pipeline counts) and `outcome` (ok, or the
 * error's kind). k6's own `data_sent` and `data_received` count the bytes.
 *
 * `resp_failed` (Rate, with the tag `op`) is the share of failed operations, like `http_req_failed`
 * for requests. A threshold: `resp_failed: ['rate<0.01']`.
 */
declare module 'k6/x/resp' {
  /** How to reach the servers. Clients do not share connections. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** TLS for all servers, as with `rediss://`. Default: as the URL says. */
    tls?: boolean | XK6Sweep.TLSOptions;
    /**
     * Whether the servers belong to one Redis Cluster. The URLs may name only some of its servers;
     * all have the same user, password and TLS. Without this option, the first redirection by a
     * cluster's server ends the test. Default false.
     */
    cluster?: boolean;
    /** The version of RESP; 3 uses HELLO 3. Default 2. */
    protocol?: 2 | 3;
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
   * | `connect` | the server could not be reached, or did not answer, within connectTimeout |
   * | `connection` | the connection broke, or an answer violates the protocol |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended |
   * | `auth` | user and password are wrong, or missing |
   * | `busy` | the server accepts no more clients, or no commands now |
   * | `full` | the server is out of memory and may not evict |
   * | `server` | any other error of the server |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `internal` | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   */
  export interface RespError extends Error {
    name: 'RespError';
    /** Always 0: RESP has no codes. */
    code: number;
    kind: 'connect' | 'connection' | 'timeout' | 'cancelled' | 'auth' | 'busy' | 'full' | 'server' | 'usage' | 'internal';
  }

  /**
   * A client with one connection to each server, or to each primary of a cluster. The first
   * operation opens a connection; the next operation after a failure opens a new one. Failed
   * operations are not retried. The connections close when the VU ends.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port`, `redis://user:password@host:port/0` (`rediss://` for TLS), or a unix
     *   socket: its path, or `unix://user:password@/path?db=0`. Several servers, in an array or
     *   separated by commas, are for hitRate, which spreads its keys over them, and for `cluster`.
     *   Default `"redis://127.0.0.1:6379"`.
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /**
     * Connects to all servers that are not connected yet. In a sweep, the clients connect one after
     * another, always in the same order.
     */
    connect(options?: Tagged): void;
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
     * Runs a workload's operations. getMulti is MGET; touch is EXPIRE, or PERSIST with `ttl: 0`. On
     * Linux the clients continue in the order in which their answers arrive.
     *
     * `commands` may be any commands but those that change the connection (SELECT, MULTI,
     * SUBSCRIBE, ...). The types of replies are string, integer, double, boolean, null, array, map
     * and set; with RESP 2 only string, integer, null and array. In a cluster, a command goes to
     * the slot of its first argument with `{key}`, or else of its first argument.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /** Runs accesses of a pass of the published hit-rate benchmark: a GET and, on a miss, a SET. */
    hitRate(options: XK6SweepCaches.HitRate): XK6SweepCaches.HitRateResult;
    /**
     * Runs operations of a core workload of YCSB. A record is a hash. If the mix has scans, the
     * keys are also in the sorted set `usertable:keys`.
     *
     * @throws kind `usage`: an option is unknown or has a wrong value, or the store does not
     *   support it
     */
    ycsb(workload: XK6SweepYCSB.Workload, call: XK6SweepYCSB.Call): XK6SweepYCSB.Result;
    /**
     * Returns each server's INFO, by address: `info('memory')`; by default the server's default
     * sections.
     *
     * @throws kind `server`: the server does not know INFO
     */
    info(section?: string | null, options?: Tagged): { [server: string]: { [name: string]: string } };
    /** Closes the connections. The next operation opens new ones. */
    close(): void;
  }

  const resp: { Client: typeof Client };
  export default resp;
}

/// <reference path="../internal/cachebench/index.d.ts" />
/// <reference path="../internal/k6mod/index.d.ts" />
/**
 * k6/x/resp: benchmarks of servers that speak RESP 2, such as Redis, Valkey and pogocache, done in
 * Go. It has what k6/x/redis has not: many operations in one call. For single commands in a script
 * there is k6/x/redis.
 *
 * What a server announces is bounded: a reply has strings of 512 MiB at most, for which there is
 * room as they come, and 1,000,000 elements. k6/x/redis is not bounded: it gives its connections,
 * TLS included, to a library that makes a buffer of any length that a server announces, which can
 * end k6. Use it with servers that you trust.
 *
 * Metrics (Counters): `resp_ops`, `resp_hits` and `resp_misses` (keys that were asked for and found
 * or not), each with the tags `op` (connect, get, set, delete, touch, getMulti, info; of a pipeline
 * each of its commands) and `outcome` (ok, or the error's kind); besides k6's own `data_sent` and
 * `data_received`.
 *
 * `resp_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `resp_failed: ['rate<0.01']`.
 */
declare module 'k6/x/resp' {
  /**
   * How to reach the servers. A Client never shares its connections: a client of a sweep is a
   * connection.
   */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** TLS for all servers, as `rediss://` asks for it. Default: that of the url. */
    tls?: boolean | XK6Sweep.TLSOptions;
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
   * | `connect` | the server could not be reached, or did not answer, within connectTimeout |
   * | `connection` | the connection broke, or the server said what is no answer |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended |
   * | `auth` | user and password are wrong, or missing |
   * | `full` | the server has no room, and was told to make none |
   * | `server` | any other error of the server |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `internal` | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
   */
  export interface RespError extends Error {
    name: 'RespError';
    /** Always 0: RESP has no codes. */
    code: number;
    kind: 'connect' | 'connection' | 'timeout' | 'cancelled' | 'auth' | 'full' | 'server' | 'usage' | 'internal';
  }

  /**
   * One connection to each server: opened by the first operation that needs it, opened anew by the
   * next one after it broke, and closed when the VU has no more use for it. Nothing is tried again
   * by itself.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port`, `redis://user:password@host:port/0` (`rediss://` for TLS), or a
     *   unix socket: its path, or `unix://user:password@/path?db=0`. Several,
     *   in an array or with commas, are instances among which hitRate spreads its keys. Default
     *   `"redis://127.0.0.1:6379"`.
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /**
     * Connects to all servers now, where that was not done yet.
     * In a sweep, clients do it in their order, one after another.
     */
    connect(options?: Tagged): void;
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
     * Does a workload's operations. getMulti is MGET, touch is EXPIRE or, with `ttl: 0`, PERSIST.
     * On Linux clients take turns in the order in which their answers came.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /** Does accesses of a pass of the published hit-rate benchmark: a GET and, on a miss, a SET. */
    hitRate(options: XK6SweepCaches.HitRate): XK6SweepCaches.HitRateResult;
    /**
     * What the servers tell of themselves (INFO), by their addresses: `info('memory')`, default all
     * that they tell unasked.
     *
     * @throws kind `server`: the server knows no INFO
     */
    info(section?: string | null, options?: Tagged): { [server: string]: { [name: string]: string } };
    /** Closes the connections. The next operation opens new ones. */
    close(): void;
  }

  const resp: { Client: typeof Client };
  export default resp;
}

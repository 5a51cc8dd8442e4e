/**
 * k6/x/mxgateway reads tags in bulk in sessions of an MXAccess gateway, over gRPC
 * (`mxaccess_gateway.v1.MxAccessGateway`).
 *
 * The client finds the gateway's messages by their published names, in the gateway's .proto file or
 * by server reflection; field numbers and additional fields do not matter. It decodes values only
 * for scripts that read them.
 *
 * A call blocks its VU until it is done, and throws a {@link GatewayError} if it fails. All calls
 * but `run` have an async form that returns a promise. A Client runs its calls one after another.
 *
 * Metrics, with the tags `op` (connect, open, register, subscribe, readBulk, unsubscribe, close)
 * and `outcome` (ok, or the error's kind):
 * - `mxgateway_ops` (Counter) and `mxgateway_op_duration` (Trend in milliseconds, of single calls;
 *   not under the executor client-sweep, which measures durations itself).
 * - `mxgateway_results`, `mxgateway_results_cached` and `mxgateway_results_failed` (Counters):
 *   results of ReadBulk, one for each tag.
 * - k6's own `data_sent` and `data_received`.
 *
 * `mxgateway_failed` (Rate, with the tag `op`) is the share of failed operations, like
 * `http_req_failed` for requests. A threshold: `mxgateway_failed: ['rate<0.01']`.
 */
declare module 'k6/x/mxgateway' {
  /** How to reach the gateway. Either `proto` or `reflection` is required. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * The key, `mxgw_<keyId>_<secret>`, sent with each call as `authorization: Bearer ...`. Errors
     * and logs never show it. Default: none.
     */
    apiKey?: string;
    /**
     * TLS 1.2 or later: true, or options. Default: as the url says, `grpcs://` for TLS, else plain
     * text.
     */
    tls?: boolean | XK6Sweep.TLSOptions;
    /**
     * `"vu"` (default): each Client has its own connection. `"shared"`: all Clients of this process
     * with the same address, key, service, connectTimeout and tls share one. It uses the k6 options
     * of the first one's VU, and the Client whose call ends counts its bytes.
     */
    connection?: 'vu' | 'shared';
    /**
     * Path of the gateway's .proto file, relative to the folder of the script that k6 runs. Create
     * such a Client in the init context.
     */
    proto?: string;
    /** Folders of the imports of that file, in addition to its own folder. */
    importPaths?: string[];
    /**
     * Whether to ask the server for its messages, once for all Clients, instead of reading `proto`.
     */
    reflection?: boolean;
    /**
     * The service's full name. Default: the only service called `MxAccessGateway`, in any package.
     */
    service?: string;
  }

  /**
   * The error of a failed call.
   *
   * | kind | code | |
   * |---|---|---|
   * | `connect` | 0 | `connect` could not reach the gateway within connectTimeout |
   * | `connection` | 14 | there is no connection |
   * | `timeout` | 4 | no answer within timeout (DEADLINE_EXCEEDED) |
   * | `cancelled` | 0, 1 | the test ended |
   * | `auth` | 16, 7 | wrong key, or no permission (UNAUTHENTICATED, PERMISSION_DENIED) |
   * | `busy` | 8, 14 | the gateway is overloaded (RESOURCE_EXHAUSTED) or unavailable (UNAVAILABLE) |
   * | `not_found` | 5 | NOT_FOUND |
   * | `conflict` | 6 | ALREADY_EXISTS |
   * | `command` | 0 | the command failed: by protocol_status or a negative hresult |
   * | `protocol` | 0 | the reply does not fit the request |
   * | `server` | others | any other status of the gateway, with which the message begins |
   * | `usage` | 0 | the call itself is wrong, or the .proto lacks a name; nothing was sent |
   * | `internal` | 0 | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   */
  export interface GatewayError extends Error {
    name: 'GatewayError';
    kind:
      | 'connect'
      | 'connection'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'busy'
      | 'not_found'
      | 'conflict'
      | 'command'
      | 'protocol'
      | 'server'
      | 'usage'
      | 'internal';
    /** gRPC's status code, or 0. */
    code: number;
  }

  /**
   * The gateway's description of a new session. Fields that its .proto does not have are `""` or 0.
   */
  export interface Opened {
    sessionId: string;
    backendName: string;
    gatewayProtocolVersion: number;
    workerProtocolVersion: number;
  }

  /** The result of subscribing to a tag. */
  export interface Item {
    tag: string;
    itemHandle: number;
    wasSuccessful: boolean;
    errorMessage: string;
  }

  /** A tag's result of a ReadBulk. */
  export interface Result {
    tag: string;
    itemHandle: number;
    wasSuccessful: boolean;
    /** Whether the worker had stored the value since this session subscribed to the tag. */
    wasCached: boolean;
    /**
     * In its type of the .proto, or `null`. A time is a string (RFC 3339), an enum's value its
     * name.
     */
    value: unknown;
    quality: number;
    sourceTimestamp: unknown;
    errorMessage: string;
  }

  /** Options of every call. */
  export interface CallOptions {
    /** Tags of the call's samples. */
    tags?: XK6Sweep.Tags;
  }

  export interface ReadOptions extends CallOptions {
    /**
     * How long the worker may wait for a tag without a value: the command's timeout_ms. Default 0:
     * the worker's setting.
     */
    wait?: XK6Sweep.Duration;
  }

  /**
   * In a step of client-sweep the client's share ends the run; elsewhere set `iterations` or
   * `duration`.
   */
  export interface RunOptions extends ReadOptions {
    /** The tags to read. Default: the subscribed tags. */
    addresses?: string[];
    /** Number of calls. Set either this or `duration`. */
    iterations?: number;
    /** How long to start new calls. */
    duration?: XK6Sweep.Duration;
    /**
     * The name of a {@link Tally} that also counts the calls; in a step, only those of the measured
     * phase.
     */
    tally?: string;
  }

  export interface RunResult {
    /** Calls that succeeded. */
    succeeded: number;
    /** Calls that failed. */
    failed: number;
    /** Total time of the calls. */
    seconds: number;
    /** Bytes of the calls' messages. */
    bytesSent: number;
    /** Bytes of the replies' messages. */
    bytesReceived: number;
    /** Bytes of the connection; of a shared one, including other Clients' bytes. */
    dataSent: number;
    dataReceived: number;
    /** Results of the successful calls, one for each tag. */
    results: number;
    /** Results that the worker had stored. */
    cached: number;
    /** Failed results. */
    failedResults: number;
  }

  /**
   * A client with one session at a time. The first call opens the connection; the next call after a
   * failure opens a new one.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port` or `grpc://host:port`, with `grpcs://` for TLS. Default
     *   `"127.0.0.1:50051"`; the default port is 50051.
     * @throws kind `usage`: an option is unknown or has a wrong value, or the .proto cannot be read
     *   or lacks a name
     */
    constructor(url?: string | readonly string[] | null, options?: ClientOptions);
    constructor(options: ClientOptions);

    /**
     * Connects if there is no connection. In a sweep, the clients connect one after another, always
     * in the same order.
     *
     * @throws kind `connect`
     */
    connect(options?: CallOptions): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: CallOptions): Promise<void>;
    /** Opens a session. A Client has one at a time. Default name: `"k6"`. */
    open(name?: string | null, options?: CallOptions): Opened;
    /** {@link Client.open} as a promise. */
    asyncOpen(name?: string | null, options?: CallOptions): Promise<Opened>;
    /**
     * Registers the client in the session, and returns the server handle, which the Client uses for
     * the calls below.
     */
    register(name?: string | null, options?: CallOptions): number;
    /** {@link Client.register} as a promise. */
    asyncRegister(name?: string | null, options?: CallOptions): Promise<number>;
    /** Subscribes to tags. A failed item does not throw. */
    subscribe(tags: string[], options?: CallOptions): Item[];
    /** {@link Client.subscribe} as a promise. */
    asyncSubscribe(tags: string[], options?: CallOptions): Promise<Item[]>;
    /** Reads tags, by default the subscribed ones, in one call. A failed result does not throw. */
    readBulk(tags?: string[] | null, options?: ReadOptions): Result[];
    /** {@link Client.readBulk} as a promise. */
    asyncReadBulk(tags?: string[] | null, options?: ReadOptions): Promise<Result[]>;
    /** Ends subscriptions, by default all. */
    unsubscribe(itemHandles?: number[] | null, options?: CallOptions): Item[];
    /** {@link Client.unsubscribe} as a promise. */
    asyncUnsubscribe(itemHandles?: number[] | null, options?: CallOptions): Promise<Item[]>;
    /** Closes the session and the connection. So does the end of the VU or of a step. */
    close(options?: CallOptions): void;
    /** {@link Client.close} as a promise. */
    asyncClose(options?: CallOptions): Promise<void>;

    /**
     * Repeats a ReadBulk call in Go. In a step of client-sweep each call is one operation of the
     * step, and the run returns when the client's share is done: use it in `sweep.run`. Failed
     * calls are counted, in the step and in the result, and do not throw; only the end of the test
     * does. After UNAVAILABLE it waits 100 ms, which count in no latency. The step's report has the
     * results as `rows`, and cached and other results in `extra` (`hits`, `misses`).
     */
    run(options?: RunOptions): RunResult;
  }

  /** The published JSON object about a client's calls. */
  export interface Summary {
    language: 'k6';
    /** From the beginning of the first call to the end of the last one. */
    durationMs: number;
    totalCalls: number;
    successfulCalls: number;
    failedCalls: number;
    totalReadResults: number;
    cachedReadResults: number;
    /** Including failed calls, as published. */
    callsPerSecond: number;
    /** Of all calls, including failed ones. */
    latencyMs: { p50: number; p95: number; p99: number; max: number; mean: number };
  }

  /**
   * Counts the calls of {@link Client.run} under a name. All VUs and handleSummary of this process
   * share it. In a step of client-sweep only calls of the measured phase count.
   */
  export class Tally {
    constructor(name: string);
    /** Calls `fn`, and counts a failed call if it throws. Otherwise counts nothing. */
    attempt<T>(fn: () => T): T;
    /** Returns the counts so far, in the published form. */
    summary(): Summary;
  }

  const mxgateway: { Client: typeof Client; Tally: typeof Tally };
  export default mxgateway;
}

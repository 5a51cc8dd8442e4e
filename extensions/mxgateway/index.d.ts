/**
 * k6/x/mxgateway: sessions of an MXAccess gateway, in which tags are read in bulk, over gRPC
 * (`mxaccess_gateway.v1.MxAccessGateway`).
 *
 * The gateway's messages are found by the published names, in its own .proto file or by server
 * reflection; field numbers and further fields may be any. Values are decoded where a script asks
 * for them, and nowhere else.
 *
 * Every call blocks its VU until it is done, and throws a {@link GatewayError} when it fails; each
 * but `run` has an asynchronous form, whose promise is rejected with it: those of one Client are
 * done one after the other. Metrics: `mxgateway_ops` (Counter) and `mxgateway_op_duration` (Trend
 * in milliseconds, of single calls; not under the executor client-sweep, which has durations of its
 * own), `mxgateway_results`, `mxgateway_results_cached` and `mxgateway_results_failed` (Counters:
 * results of ReadBulk, one for each tag), each with the tags `op` (connect, open, register,
 * subscribe, readBulk, unsubscribe, close) and `outcome` (ok, or the error's kind), besides k6's
 * own `data_sent` and `data_received`.
 *
 * `mxgateway_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `mxgateway_failed: ['rate<0.01']`.
 */
declare module 'k6/x/mxgateway' {
  /** How to reach the gateway. Either `proto` or `reflection` is needed. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * The key, `mxgw_<keyId>_<secret>`, sent with each call as `authorization: Bearer ...`. It is
     * in no error and no log. Default: none.
     */
    apiKey?: string;
    /**
     * TLS 1.2 or later: true, or what is special about it. Default: that of the url, `grpcs://` for
     * TLS, and else plain text.
     */
    tls?: boolean | XK6Sweep.TLSOptions;
    /**
     * `"vu"` (default): a connection for each Client of each VU, as a client of a sweep is a
     * connection. `"shared"`: one for all Clients of this process with the same address, key,
     * service, connectTimeout and tls; it is opened as the VU of the first of them has k6's
     * options, and its bytes are counted by whichever of them has ended a call.
     */
    connection?: 'vu' | 'shared';
    /**
     * Path of the gateway's .proto file, from the folder of the script that k6 runs. Such a Client
     * is made in the init context.
     */
    proto?: string;
    /** Folders of what that file imports, besides its own. */
    importPaths?: string[];
    /**
     * Whether the server is asked for its messages, once for all Clients, instead of reading
     * `proto`.
     */
    reflection?: boolean;
    /**
     * The service's full name. Default: that of the only service called `MxAccessGateway`, whatever
     * its package.
     */
    service?: string;
  }

  /**
   * What went wrong.
   *
   * | kind | code | |
   * |---|---|---|
   * | `connect` | 0 | `connect` could not reach the gateway within connectTimeout |
   * | `connection` | 14 | there is no connection |
   * | `timeout` | 4 | no answer within timeout (DEADLINE_EXCEEDED) |
   * | `cancelled` | 0, 1 | the test ended |
   * | `auth` | 16, 7 | a wrong key, or one that may not do this (UNAUTHENTICATED, PERMISSION_DENIED) |
   * | `busy` | 8, 14 | the gateway has no room for this (RESOURCE_EXHAUSTED), or cannot serve it now (UNAVAILABLE) |
   * | `not_found` | 5 | NOT_FOUND |
   * | `conflict` | 6 | ALREADY_EXISTS |
   * | `command` | 0 | the command has failed: protocol_status or a negative hresult says so |
   * | `protocol` | 0 | the reply is not what was asked for |
   * | `server` | others | any other status of the gateway's, which the message begins with |
   * | `usage` | 0 | the call itself is wrong, or the .proto lacks a name; nothing was sent |
   * | `internal` | 0 | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
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
    /** gRPC's status code; 0 where there is none. */
    code: number;
  }

  /** What the gateway says of a new session. What its .proto has no field for is `""` or 0. */
  export interface Opened {
    sessionId: string;
    backendName: string;
    gatewayProtocolVersion: number;
    workerProtocolVersion: number;
  }

  /** What subscribing to a tag came to. */
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
    /**
     * Whether the value is one that the worker has kept since the tag was subscribed to in this
     * session.
     */
    wasCached: boolean;
    /**
     * As its .proto has it, `null` for none; a time is a text (RFC 3339), and an enum's value its
     * name.
     */
    value: unknown;
    quality: number;
    sourceTimestamp: unknown;
    errorMessage: string;
  }

  /** Options of each call. */
  export interface CallOptions {
    /** Tags of the call's samples. */
    tags?: XK6Sweep.Tags;
  }

  export interface ReadOptions extends CallOptions {
    /**
     * How long the worker may wait for a tag that has no value yet; the command's timeout_ms.
     * Default 0: as long as it wants.
     */
    wait?: XK6Sweep.Duration;
  }

  /**
   * In a step of client-sweep the step's share ends the run; elsewhere `iterations` or `duration`
   * must be given.
   */
  export interface RunOptions extends ReadOptions {
    /** The tags to read. Default: those that are subscribed to. */
    addresses?: string[];
    /** How many calls to make. Either this or `duration`. */
    iterations?: number;
    /** How long to go on; a call that is under way then is done. */
    duration?: XK6Sweep.Duration;
    /**
     * The name of a {@link Tally} that counts the calls as well; of a step, those of the measured
     * phase.
     */
    tally?: string;
  }

  export interface RunResult {
    /** Calls that succeeded. */
    succeeded: number;
    /** Calls that failed. */
    failed: number;
    /** How long all of them took. */
    seconds: number;
    /** Bytes of the calls' messages. */
    bytesSent: number;
    /** Bytes of the replies' messages. */
    bytesReceived: number;
    /** Bytes that went over the connection; over a shared one, those of other Clients too. */
    dataSent: number;
    dataReceived: number;
    /** Results of the calls that succeeded, one for each tag. */
    results: number;
    /** Results that the worker had kept. */
    cached: number;
    /** Results that were not successful. */
    failedResults: number;
  }

  /**
   * A session, over a connection that is opened by the first call that needs it, and opened anew
   * after it broke.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port` or `grpc://host:port`, with `grpcs://` for TLS. Default
     *   `"127.0.0.1:50051"`; a port that is left out is 50051.
     * @throws kind `usage`: an option is unknown or has a wrong value, or the .proto cannot be read
     *   or lacks a name
     */
    constructor(url?: string | readonly string[] | null, options?: ClientOptions);
    constructor(options: ClientOptions);

    /**
     * Connects now, if that was not done yet. In a sweep, clients do it in their order, one after
     * another.
     *
     * @throws kind `connect`
     */
    connect(options?: CallOptions): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: CallOptions): Promise<void>;
    /** Opens a session; there is one at a time. Default name: `"k6"`. */
    open(name?: string | null, options?: CallOptions): Opened;
    /** {@link Client.open} as a promise. */
    asyncOpen(name?: string | null, options?: CallOptions): Promise<Opened>;
    /**
     * Registers the client in the session, and returns the server handle, which the Client keeps
     * for the calls below.
     */
    register(name?: string | null, options?: CallOptions): number;
    /** {@link Client.register} as a promise. */
    asyncRegister(name?: string | null, options?: CallOptions): Promise<number>;
    /** Subscribes to tags. An item that was not successful is no error. */
    subscribe(tags: string[], options?: CallOptions): Item[];
    /** {@link Client.subscribe} as a promise. */
    asyncSubscribe(tags: string[], options?: CallOptions): Promise<Item[]>;
    /**
     * Reads tags, by default those that are subscribed to, in one call. A result that was not
     * successful is no error.
     */
    readBulk(tags?: string[] | null, options?: ReadOptions): Result[];
    /** {@link Client.readBulk} as a promise. */
    asyncReadBulk(tags?: string[] | null, options?: ReadOptions): Promise<Result[]>;
    /** Ends subscriptions, by default all of them. */
    unsubscribe(itemHandles?: number[] | null, options?: CallOptions): Item[];
    /** {@link Client.unsubscribe} as a promise. */
    asyncUnsubscribe(itemHandles?: number[] | null, options?: CallOptions): Promise<Item[]>;
    /**
     * Closes the session, if there is one, and the connection. The end of the VU, or of a step,
     * does so too.
     */
    close(options?: CallOptions): void;
    /** {@link Client.close} as a promise. */
    asyncClose(options?: CallOptions): Promise<void>;

    /**
     * Makes the same ReadBulk call again and again, in Go. In a step of client-sweep each call is
     * one operation of the step, and the run returns when the client's share is done: call it in
     * `sweep.run`. Calls that fail are counted, there and in the result, and do not throw; only the
     * end of the test does. After UNAVAILABLE it waits for 100 ms, which are no call's. The step's
     * report has the results as `rows`, and cached and other results in `extra` (`hits`, `misses`).
     */
    run(options?: RunOptions): RunResult;
  }

  /** The published JSON object of a client's calls. */
  export interface Summary {
    language: 'k6';
    /** From the beginning of the first call to the end of the last one. */
    durationMs: number;
    totalCalls: number;
    successfulCalls: number;
    failedCalls: number;
    totalReadResults: number;
    cachedReadResults: number;
    /** All calls, failed ones too, as published. */
    callsPerSecond: number;
    /** Of all calls, failed ones too. */
    latencyMs: { p50: number; p95: number; p99: number; max: number; mean: number };
  }

  /**
   * Counts of calls under a name, which all VUs and handleSummary of this process share. In a step
   * of client-sweep only those of the measured phase count.
   */
  export class Tally {
    constructor(name: string);
    /**
     * Calls `fn` and counts that as a call, failed if it throws; returns or throws what it does.
     */
    call<T extends { results: number; cached: number }>(fn: () => T): T;
    /** Calls `fn`, which is no call unless it throws: then it counts as a failed one. */
    attempt<T>(fn: () => T): T;
    /** What was counted so far, in the published form. */
    summary(): Summary;
  }

  const mxgateway: { Client: typeof Client; Tally: typeof Tally };
  export default mxgateway;
}

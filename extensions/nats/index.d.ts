/// <reference path="../internal/workload/index.d.ts" />
/// <reference path="../internal/k6x/index.d.ts" />
/**
 * k6/x/nats is a client of NATS with JetStream, key-value stores and object stores.
 *
 * Operations that wait for an answer have two forms. The blocking form, such as `request`, waits
 * until it is done, and throws a {@link NatsError} if it fails. The async form, `asyncRequest`,
 * takes the same arguments and returns a promise; several can run at the same time. Arguments are
 * copied at the call. No callback runs while a call blocks. k6 ends an iteration only when its
 * promises are settled and the subscriptions with callbacks are closed.
 *
 * Metrics:
 * - `nats_ops` (Counter) and `nats_op_duration` (Trend in milliseconds; not under the executor
 *   client-sweep, which measures durations itself), with the tags `op` and `outcome` (ok, or the
 *   error's kind). `op` is one of connect, publish, publishBatch, request, subscribe,
 *   respond, next, fetch, deliver, flush, drain, rtt, ack, ackSync, nak, term and inProgress, or
 *   has a prefix: `js.`, `kv.` and `object.` for JetStream, such as `js.publish` and `kv.get`;
 *   `layout.` and `row.` for a published layout. With the option `tagSubjects`, operations with a
 *   subject also have the tag `subject`.
 * - `nats_errors` (Counter with the tag `kind`): failed operations, and errors outside of calls,
 *   such as slow_consumer.
 * - `nats_messages_sent`, `nats_messages_received`, `nats_bytes_sent` and `nats_bytes_received`
 *   (Counters with the tags of `nats_ops`): messages that were sent, or passed to the script, and
 *   the bytes of their data.
 * - `nats_delivery_latency` (Trend in milliseconds; not under client-sweep): from the sending of a
 *   message, by a client with the option `stamp`, or from its storing in a stream. If two machines
 *   are involved, it includes the difference of their clocks.
 * - `nats_connects`, `nats_reconnects` and `nats_disconnects` (Counters).
 * - k6's own `data_sent` and `data_received`: bytes of the connections.
 *
 * `nats_failed` (Rate, with the tag `op`) is the share of failed operations, like `http_req_failed`
 * for requests. A threshold: `nats_failed: ['rate<0.01']`.
 *
 * The last argument of every call may be, or contain, `{ tags: { page: 'login' } }`: tags for the
 * call's samples.
 *
 * In a sweep, a call counts as one operation, and its messages as rows. Some calls run many
 * operations in Go, each of them an operation of the step under its own name, which belongs in the
 * scenario's `ops`: `requestBatch` (request), `fetch` with the option `each` (deliver), {@link
 * Layout.run} (get, set, delete) and {@link NatsjsRow.run} (the row's name). They return when the
 * client's share is done.
 *
 * For scripts that were written for ydarias/xk6-nats:
 *
 * | there | here |
 * |---|---|
 * | `new Nats({ servers, unsafe, token })` | the same; connects at the first use. `new Client(urls)` has `tls` instead of `unsafe` |
 * | `publish`, `publishWithHeaders`, `publishMsg` | the same |
 * | `request(topic, payload, headers)`, which did not send the headers | `request(topic, payload, { headers })` |
 * | `subscribe(topic, callback)`, in parallel with the script | the same, on k6's event loop: after the code that subscribes |
 * | `subscription.close()`, `message.data`, `.topic`, `.headers` | the same |
 * | `message.raw`, an array of numbers | an ArrayBuffer |
 * | `jetStreamSetup(configuration)` | the same; `storage`, `discard` and `retention` are names ('file', 'old', 'limits'), not numbers |
 * | `jetStreamPublish`, `-WithHeaders`, `-Msg` | the same; they return the acknowledgement |
 * | `jetStreamSubscribe(topic, callback)` | the same, as an ordered consumer |
 * | `jetStreamDelete(name)`, which ignored errors | `jetStream().deleteStream(name)` |
 */
declare module 'k6/x/nats' {
  /**
   * A duration: a string such as `"5s"`, `"1m30s"`, `"300ms"` or `"1d"`, or a number of
   * milliseconds, at least 100.
   */
  export type Duration = XK6Sweep.Duration;

  /** Time until a value expires: a string such as `"60s"`, 0 for never, or a Date. */
  export type TTL = XK6Sweep.TTL;

  /** Tags of a call, as in k6/http. */
  export type Tags = XK6Sweep.Tags;

  /**
   * Data of a message. A string is sent as UTF-8; of a typed array or DataView, the part of the
   * buffer that it shows.
   */
  export type Data = string | ArrayBuffer | ArrayBufferView | null | undefined;

  /** Header names with their value or values. */
  export interface Headers {
    [name: string]: string | readonly string[];
  }

  /** A number of up to 64 bits. Numbers above 2^53 - 1 are BigInts. */
  export type Unsigned = number | bigint;

  /** TLS options of all modules, and `first`. */
  export interface TLSOptions extends XK6Sweep.TLSOptions {
    /**
     * Start TLS before the server's first message, for a server with `handshake_first`. Default
     * false.
     */
    first?: boolean;
  }

  /**
   * How to reach the servers, and how to use them. A client connects to one of several servers, and
   * to another one if the connection breaks.
   */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** The client's name in the server's monitoring. */
    name?: string;
    /** Log in with one of: user and password, token, credentials, nkey. Errors never show them. */
    user?: string;
    password?: string;
    token?: string;
    /** The text of a credentials file: a user's JWT and NKEY seed. */
    credentials?: string;
    /**
     * The path of a credentials file, relative to the script. It is read in the init context like
     * `open()`, and becomes part of an archive.
     */
    credentialsFile?: string;
    /** The seed of a user's key (SU...), alone or with the user's `jwt`. */
    nkey?: string;
    jwt?: string;
    /** Default: TLS only if the server asks for it. `true`: TLS without special options. */
    tls?: boolean | TLSOptions;
    /** Time between pings that check the connection. Default `"2m"`. */
    pingInterval?: Duration;
    /** Attempts per server to restore a broken connection; -1: no limit, 0: none. Default 60. */
    maxReconnects?: number;
    /**
     * Time between attempts. Default `"2s"`, plus a random time up to reconnectJitter (default 0).
     */
    reconnectWait?: Duration;
    reconnectJitter?: Duration;
    /**
     * Bytes that may be published while the connection is broken. Default 0: publishing is then an
     * error of kind `connection`.
     */
    reconnectBuffer?: number;
    /** Prefix of the subjects of answers. Default `"_INBOX"`. */
    inboxPrefix?: string;
    /**
     * The client's subscriptions do not receive the client's own messages, except those of
     * requestBatch.
     */
    noEcho?: boolean;
    /** Try the servers in the given order. */
    noRandomize?: boolean;
    /**
     * `"vu"` (default): each client has its own connection. `"shared"`: all VUs whose clients have
     * equal options share one.
     */
    connection?: 'vu' | 'shared';
    /** Send the time with each message, in the header K6-Sent, for `nats_delivery_latency`. */
    stamp?: boolean;
    /**
     * Add the tag `subject` to the metrics. Each subject is then a time series, so use it only with
     * few subjects.
     */
    tagSubjects?: boolean;
  }

  /**
   * Options of every call. The tags of `subscribe`, `consume` and `watch` also apply to the
   * messages.
   */
  export interface CallOptions {
    /** Tags of the call's metrics, in addition to `op` and `outcome`, as in k6/http. */
    tags?: Tags;
  }

  /** Options of connect. */
  export interface ConnectOptions extends CallOptions {
    /** `true` opens only the connection for runs in Go: see {@link Client}. Default false. */
    runs?: boolean;
  }

  /** Options of publish. Frozen ones (Object.freeze) are read only once. */
  export interface PublishOptions extends CallOptions {
    headers?: Headers;
    /** The subject for an answer. */
    reply?: string;
  }

  /** Options of publishBatch. */
  export interface BatchOptions extends PublishOptions {
    /** How many times the data is published. Default 1. */
    iterations?: number;
  }

  /** The result of many operations in one call. All operations are in `succeeded` or `failed`. */
  export interface BatchResult {
    readonly succeeded: number;
    readonly failed: number;
    readonly seconds: number;
    /** Bytes of data in successful operations. */
    readonly bytesSent: number;
    readonly bytesReceived: number;
  }

  /** Options of request. */
  export interface RequestOptions extends CallOptions {
    headers?: Headers;
    /** Default: the client's. */
    timeout?: Duration;
  }

  /** Options of requestBatch. */
  export interface RequestBatchOptions extends RequestOptions {
    /** Number of requests. Default 1, if there is no duration. */
    iterations?: number;
    /** How long to send requests, in place of iterations. */
    duration?: Duration;
  }

  /** Options of subscribe and respond. */
  export interface SubscribeOptions extends CallOptions {
    /** Each message goes to one of the subscriptions with the same queue. */
    queue?: string;
    /** Number of messages after which the subscription ends. Default: no limit. */
    max?: number;
    /**
     * Maximum number of waiting messages. Further ones are dropped (`slow_consumer`). Default
     * 65536, which reserves 512 kB.
     */
    pending?: number;
  }

  /** Options of fetch. */
  export interface FetchOptions extends CallOptions {
    /** Default: the client's. */
    timeout?: Duration;
    /** Return only messages that have already arrived. */
    noWait?: boolean;
    /** Only count the messages, in Go: fetch returns their number. */
    discard?: boolean;
    /** Acknowledge a consumer's messages, in Go. */
    ack?: boolean;
    /**
     * Count each message as an operation `deliver` of the step, whose duration is the time since
     * the message was sent (by a client with the option `stamp`) or stored in its stream. A message
     * that does not arrive in time is a failed operation. Outside of a sweep the durations go to
     * `nats_delivery_latency`.
     */
    each?: boolean;
    /** Maximum bytes of a consumer's messages. */
    maxBytes?: number;
  }

  /**
   * A message of a subscription, or an answer. It is read-only, and its properties are made on
   * demand.
   */
  export interface Message {
    readonly subject: string;
    /** The same as subject. */
    readonly topic: string;
    /** The subject for an answer; empty if none is expected. */
    readonly reply: string;
    /** The data decoded from UTF-8 (invalid bytes become U+FFFD). */
    readonly data: string;
    /** The data as bytes. */
    readonly raw: ArrayBuffer;
    /** Names with their first value. */
    readonly headers: { readonly [name: string]: string };
    /** All values of a header. */
    header(name: string): string[];
    /** Answers a request. */
    respond(data?: Data, options?: PublishOptions): void;
  }

  /** A message of a consumer. */
  export interface StreamMessage extends Omit<Message, 'respond'> {
    readonly stream: string;
    readonly consumer: string;
    /** Its position in the stream. */
    readonly sequence: Unsigned;
    readonly consumerSequence: Unsigned;
    /** How often it has been delivered, including this time. */
    readonly deliveries: number;
    /** How many messages the consumer has left. */
    readonly pending: Unsigned;
    readonly timestamp: Date;
    /** Acknowledges the message without waiting for the server. */
    ack(options?: CallOptions): void;
    /** Acknowledges the message, and waits until the server confirms. */
    ackSync(timeout?: Duration, options?: CallOptions): void;
    /** {@link StreamMessage.ackSync} as a promise. */
    asyncAckSync(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** Asks for another delivery, now or after a delay. */
    nak(delay?: Duration, options?: CallOptions): void;
    /** Asks for no further delivery. */
    term(reason?: string, options?: CallOptions): void;
    /**
     * Tells the server that the work takes longer, so that it does not deliver the message again.
     */
    inProgress(options?: CallOptions): void;
  }

  /**
   * A stream of messages. If it has a callback, the iteration lasts until the feed ends or is
   * closed.
   */
  export interface Feed<T> {
    /**
     * Returns the next message, or null if none arrives within timeout (default: the client's) or
     * the feed has ended.
     */
    next(timeout?: Duration, options?: CallOptions): T | null;
    /** {@link Feed.next} as a promise. */
    asyncNext(timeout?: Duration, options?: CallOptions): Promise<T | null>;
    /** Returns up to n messages: as soon as there are n, or at the timeout. */
    fetch(n: number, options: FetchOptions & { discard: true }): number;
    fetch(n: number, options?: FetchOptions): T[];
    /** {@link Feed.fetch} as a promise. */
    asyncFetch(n: number, options: FetchOptions & { discard: true }): Promise<number>;
    asyncFetch(n: number, options?: FetchOptions): Promise<T[]>;
    /** The number of waiting messages. */
    pending(): number;
    /** Whether the feed has ended: closed by the script, or by its connection. */
    isClosed(): boolean;
    /** Ends the feed. Messages that have already arrived can still be read. */
    close(): void;
  }

  /** A subscription to a subject. */
  export interface Subscription extends Feed<Message> {
    /** Unsubscribes, and returns when all messages already sent have arrived. */
    drain(timeout?: Duration, options?: CallOptions): void;
    /** {@link Subscription.drain} as a promise. */
    asyncDrain(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** How many messages were dropped because too many were waiting. */
    dropped(): number;
  }

  /** A service that {@link Client.respond} runs. */
  export interface Responder {
    /** Stops answering requests. */
    close(): void;
  }

  /** A server's description of itself. */
  export interface ServerInfo {
    server: string;
    version: string;
    url: string;
    cluster: string;
    maxPayload: number;
    tls: boolean;
  }

  /**
   * The error of a failed call.
   *
   * | kind | |
   * |---|---|
   * | `connect` | no server could be reached within connectTimeout |
   * | `connection` | the connection is broken, or is being restored |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended |
   * | `auth` | user unknown or not permitted; requests wait for the timeout, runs do not |
   * | `busy` | the connection limit is reached; maxPending acknowledgements are missing |
   * | `no_responders` | no one listens to the subject; no stream stores it |
   * | `not_found` | there is no such stream, consumer or bucket |
   * | `conflict` | it exists already |
   * | `wrong_sequence` | the last sequence or revision is not the expected one |
   * | `too_large` | the message exceeds a limit of the server or the stream |
   * | `full` | the stream has reached a limit and discards new messages |
   * | `slow_consumer` | messages were dropped because too many were waiting |
   * | `protocol` | the server violated the protocol; the connection is closed |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `server` | any other error of the server |
   * | `internal` | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   *
   * A broken connection is restored automatically, with its subscriptions. Failed operations are
   * not retried, except that a publication to a stream is sent up to twice more if there is no
   * responder.
   */
  export interface NatsError extends Error {
    name: 'NatsError';
    kind:
      | 'connect'
      | 'connection'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'busy'
      | 'no_responders'
      | 'not_found'
      | 'conflict'
      | 'wrong_sequence'
      | 'too_large'
      | 'full'
      | 'slow_consumer'
      | 'protocol'
      | 'usage'
      | 'server'
      | 'internal';
    /** JetStream's error code, such as 10071; 0 for other errors. */
    code: number;
  }

  /**
   * A client with one connection, which the first operation opens. It is restored when it breaks,
   * and closes at the end of setup or teardown, of the client's step under client-sweep, or of the
   * test. Create one client per VU in the init context, and use it in functions.
   *
   * Calls that run many operations in Go, {@link Client.requestBatch}, {@link Layout.run} and
   * {@link Layout.prefill}, use a second connection. The first such call opens it, or `connect({
   * runs: true })`; if it breaks, the next operation opens it again. It has the client's options,
   * except for pingInterval and those about reconnecting. A client that makes only such calls has
   * only this connection, and a temporary one to create a missing bucket. With `connection:
   * 'shared'`, and through WebSockets, there is no second connection.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url the servers: `nats://user:password@host:port`, `tls://`, `ws://`, `wss://`,
     *   `host:port` or `host` (port 4222); several in an array, or separated by commas. Default
     *   `nats://127.0.0.1:4222`
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /**
     * Connects if there is no connection. In a sweep, the clients connect one after another, always
     * in the same order.
     */
    connect(options?: ConnectOptions): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: ConnectOptions): Promise<void>;
    /** Closes both connections. The next operation opens a new one. */
    close(): void;
    /** Returns when the server has received all publications. */
    flush(timeout?: Duration, options?: CallOptions): void;
    /** {@link Client.flush} as a promise. */
    asyncFlush(timeout?: Duration, options?: CallOptions): Promise<void>;
    /**
     * Ends all subscriptions, sends the rest, and closes the connection. Not with `connection:
     * 'shared'`.
     */
    drain(timeout?: Duration, options?: CallOptions): void;
    /** {@link Client.drain} as a promise. */
    asyncDrain(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** Returns the milliseconds that the server takes to answer a ping. */
    rtt(options?: CallOptions): number;
    /** {@link Client.rtt} as a promise. */
    asyncRtt(options?: CallOptions): Promise<number>;
    /** Returns the server's description of itself, or null without a connection. */
    info(): ServerInfo | null;

    /** Publishes a message without waiting for the server: see flush. */
    publish(subject: string, data?: Data, options?: PublishOptions): void;
    /**
     * Publishes many messages in one call, in Go: the data, or each element of an array,
     * `iterations` times. A frozen array is read only once.
     *
     * @throws at the first failure; so a result has no failed ones
     */
    publishBatch(subject: string, data: Data | readonly Data[], options?: BatchOptions): BatchResult;
    /**
     * Sends a request, and returns the answer. While it waits, no callback of the same VU runs: if
     * a callback has to answer, use {@link Client.asyncRequest}.
     */
    request(subject: string, data?: Data, options?: RequestOptions): Message;
    /** {@link Client.request} as a promise. */
    asyncRequest(subject: string, data?: Data, options?: RequestOptions): Promise<Message>;
    /**
     * Sends requests in Go, one after another. In a sweep each is an operation `request`, and in an
     * open loop one of the schedule. Failed requests are counted and do not throw; answers are
     * discarded. On Linux the clients continue in the order in which their answers arrive, except
     * in an open loop. It uses the connection for runs: see {@link Client}.
     */
    requestBatch(subject: string, data?: Data, options?: RequestBatchOptions): BatchResult;
    /**
     * Subscribes. With a callback, k6's event loop passes it the messages when the iteration's
     * function does nothing else. The iteration lasts until the subscription is closed (`close`, or
     * `max` messages); the log says so once if no message arrives for 5 s. Without a callback, use
     * `next` or `fetch`.
     */
    subscribe(subject: string, callback: (message: Message) => void, options?: SubscribeOptions): Subscription;
    subscribe(subject: string, options?: SubscribeOptions): Subscription;
    subscribe(subject: string, callback: null | undefined, options?: SubscribeOptions): Subscription;
    /**
     * Answers requests in Go with the data or, if it is null, with the request's data, until the
     * result or the connection is closed.
     */
    respond(subject: string, data?: Data, options?: SubscribeOptions): Responder;

    /** Returns JetStream over this client. Does not connect. */
    jetStream(options?: JetStreamOptions): JetStream;

    /**
     * Returns a database of key-value buckets in the layout of a published library. Does not
     * connect.
     */
    layout(options: LayoutOptions): Layout;
    /**
     * Returns a row of the published benchmark of these layouts, by its name in {@link natsjsRows}.
     * Does not connect.
     */
    natsjsRow(name: string, options?: NatsjsRowOptions): NatsjsRow;
  }

  /** A client with the method names of ydarias/xk6-nats, for scripts that were written for it. */
  export class Nats extends Client {
    /**
     * Does not connect. `servers` are urls. `unsafe` accepts any certificate if the server wants
     * TLS.
     */
    constructor(options?: ClientOptions & { servers?: string[]; unsafe?: boolean });
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions & { unsafe?: boolean });

    /** Publishes a message, as in ydarias/xk6-nats. */
    publishWithHeaders(subject: string, data: Data, headers?: Headers): void;
    /** Publishes a message, as in ydarias/xk6-nats. */
    publishMsg(message: { topic: string; data?: Data; raw?: Data | number[]; headers?: Headers }): void;
    /** {@link JetStream.ensureStream}, as in ydarias/xk6-nats. */
    jetStreamSetup(configuration: StreamConfiguration | { [name: string]: any }): void;
    /** {@link JetStream.publish}, as in ydarias/xk6-nats. */
    jetStreamPublish(subject: string, data?: Data): Acknowledgement;
    /** {@link JetStream.publish}, as in ydarias/xk6-nats. */
    jetStreamPublishWithHeaders(subject: string, data: Data, headers?: Headers): Acknowledgement;
    /** {@link JetStream.publish}, as in ydarias/xk6-nats. */
    jetStreamPublishMsg(message: { topic: string; data?: Data; raw?: Data | number[]; headers?: Headers }): Acknowledgement;
    /**
     * Returns an ordered consumer of the stream that stores the subject, as in ydarias/xk6-nats.
     */
    jetStreamSubscribe(subject: string, callback: (message: StreamMessage) => void): Feed<StreamMessage>;
  }

  /** Options of jetStream. */
  export interface JetStreamOptions {
    domain?: string;
    apiPrefix?: string;
    /**
     * How many messages of publishNoWait and publishBatch may be without an acknowledgement.
     * Default 4000.
     */
    maxPending?: number;
  }

  /** The servers for the copies of a stream. */
  export interface Placement {
    cluster?: string;
    tags?: string[];
  }

  /** Renames subjects. `src` and `dest` may have wildcards and `$1`, in the server's syntax. */
  export interface SubjectTransform {
    src: string;
    dest: string;
  }

  /** Publishes stored messages again under another subject. */
  export interface Republish {
    src?: string;
    dest: string;
    headersOnly?: boolean;
  }

  /** A stream that this stream copies. */
  export interface StreamSource {
    name: string;
    /** Where to begin: a sequence or a time. */
    optStartSeq?: Unsigned;
    optStartTime?: string | Date;
    filterSubject?: string;
    subjectTransforms?: SubjectTransform[];
    /** For a stream in another account or domain. */
    external?: { api: string; deliver?: string };
    consumer?: { name?: string; deliverSubject?: string };
  }

  /**
   * The configuration of a stream, with the names of JetStream's API in camel case. The
   * configuration in `StreamInfo.config` has durations as strings, 0 for none, and can be used as
   * an argument. The API's own names (`max_msgs_per_subject`) work too, with durations in
   * nanoseconds.
   */
  export interface StreamConfiguration {
    name: string;
    description?: string;
    /** Default: the stream's name. */
    subjects?: string[];
    /** Default `limits`: messages stay until a limit is reached. */
    retention?: 'limits' | 'interest' | 'workqueue';
    /** -1: no limit; the same for all limits. */
    maxConsumers?: number;
    maxMsgs?: number;
    maxBytes?: number;
    /** Which messages are discarded at a limit. Default `old`. */
    discard?: 'old' | 'new';
    discardNewPerSubject?: boolean;
    /** How long a message stays. Default 0: no limit. */
    maxAge?: Duration;
    maxMsgsPerSubject?: number;
    maxMsgSize?: number;
    /** Default `file`. */
    storage?: 'file' | 'memory';
    /** Default 1. */
    numReplicas?: number;
    /** Do not send acknowledgements to publishers. */
    noAck?: boolean;
    /** How long the stream detects messages with the same msgID. Default: 2 minutes. */
    duplicateWindow?: Duration;
    placement?: Placement;
    mirror?: StreamSource;
    sources?: StreamSource[];
    sealed?: boolean;
    denyDelete?: boolean;
    denyPurge?: boolean;
    allowRollupHdrs?: boolean;
    compression?: 'none' | 's2';
    /** The sequence of the first message. */
    firstSeq?: Unsigned;
    subjectTransform?: SubjectTransform;
    republish?: Republish;
    allowDirect?: boolean;
    mirrorDirect?: boolean;
    /** For consumers that do not set them. */
    consumerLimits?: { inactiveThreshold?: Duration; maxAckPending?: number };
    metadata?: { [name: string]: string };
    templateOwner?: string;
    /** Messages may have a `ttl`. */
    allowMsgTtl?: boolean;
    /** How long the marker of a message stays whose `ttl` has expired. */
    subjectDeleteMarkerTtl?: Duration;
    allowMsgCounter?: boolean;
    allowAtomic?: boolean;
    allowMsgSchedules?: boolean;
    persistMode?: 'default' | 'async';
    allowBatched?: boolean;
  }

  /** The configuration of a consumer, in the form of {@link StreamConfiguration}. */
  export interface ConsumerConfiguration {
    name?: string;
    /** A consumer with a durable name stays when it is not used. */
    durableName?: string;
    description?: string;
    /** Where to begin. Default `all`. */
    deliverPolicy?: 'all' | 'last' | 'new' | 'by_start_sequence' | 'by_start_time' | 'last_per_subject';
    optStartSeq?: Unsigned;
    optStartTime?: string | Date;
    /** Default `explicit`: each message separately. */
    ackPolicy?: 'none' | 'all' | 'explicit' | 'flow_control';
    /**
     * How long the server waits for an acknowledgement before it delivers a message again. Default:
     * 30 seconds.
     */
    ackWait?: Duration;
    /** How often a message is delivered at most. Default -1: no limit. */
    maxDeliver?: number;
    /** Times in place of ackWait, one for each delivery. */
    backoff?: Duration[];
    filterSubject?: string;
    filterSubjects?: string[];
    /** Default `instant`. */
    replayPolicy?: 'instant' | 'original';
    rateLimitBps?: number;
    sampleFreq?: string;
    maxWaiting?: number;
    /** How many messages may be without an acknowledgement. Default 1000. */
    maxAckPending?: number;
    headersOnly?: boolean;
    maxBatch?: number;
    maxExpires?: Duration;
    maxBytes?: number;
    /** How long the consumer may be unused before the server removes it. */
    inactiveThreshold?: Duration;
    /** Default: the stream's. */
    numReplicas?: number;
    memStorage?: boolean;
    metadata?: { [name: string]: string };
    pauseUntil?: string | Date;
    priorityPolicy?: '' | 'pinned_client' | 'overflow' | 'prioritized';
    priorityTimeout?: Duration;
    priorityGroups?: string[];
    deliverSubject?: string;
    deliverGroup?: string;
    flowControl?: boolean;
    idleHeartbeat?: Duration;
  }

  /** The configuration of an ordered consumer. */
  export type OrderedConsumerConfiguration = Pick<
    ConsumerConfiguration,
    | 'filterSubjects'
    | 'deliverPolicy'
    | 'optStartSeq'
    | 'optStartTime'
    | 'replayPolicy'
    | 'inactiveThreshold'
    | 'headersOnly'
    | 'metadata'
  >;

  /** The configuration of a key-value bucket, in the form of {@link StreamConfiguration}. */
  export interface KeyValueConfiguration {
    bucket: string;
    description?: string;
    maxValueSize?: number;
    /** How many values of a key are stored, at most 64. Default 1. */
    history?: number;
    /** Time until a value expires: a string with its unit, such as `'10m'`. Default 0: never. */
    ttl?: string | 0;
    maxBytes?: number;
    /** Default `file`. */
    storage?: 'file' | 'memory';
    /** Default 1. */
    numReplicas?: number;
    placement?: Placement;
    republish?: Republish;
    mirror?: StreamSource;
    sources?: StreamSource[];
    compression?: boolean;
    /** Allows keys with a `ttl`; the value is how long the marker of an expired key stays. */
    limitMarkerTtl?: Duration;
    metadata?: { [name: string]: string };
  }

  /** The configuration of an object store, in the form of {@link StreamConfiguration}. */
  export interface ObjectStoreConfiguration {
    bucket: string;
    description?: string;
    /** How long an object stays. Default 0: no limit. */
    maxAge?: Duration;
    maxBytes?: number;
    /** Default `file`. */
    storage?: 'file' | 'memory';
    /** Default 1. */
    numReplicas?: number;
    placement?: Placement;
    compression?: boolean;
    metadata?: { [name: string]: string };
  }

  /**
   * The servers of a stream or a consumer. Durations outside of configurations are milliseconds.
   */
  export interface ClusterInfo {
    readonly name?: string;
    readonly raftGroup?: string;
    readonly leader?: string;
    readonly leaderSince?: string;
    readonly systemAccount?: boolean;
    readonly trafficAccount?: string;
    readonly replicas?: readonly PeerInfo[];
    readonly desired?: DesiredClusterInfo;
  }

  /** A server of a cluster; `active` is the time since it was last heard of. */
  export interface PeerInfo {
    readonly name: string;
    readonly current: boolean;
    readonly offline?: boolean;
    readonly active: number;
    readonly lag?: Unsigned;
    readonly peer: string;
    readonly pending?: boolean;
  }

  /** The target of a moving stream. */
  export interface DesiredClusterInfo {
    readonly created: string;
    readonly name?: string;
    readonly replicas?: readonly { readonly name: string; readonly offline?: boolean; readonly peer: string }[];
    readonly origin?: { readonly replicas: number; readonly placement?: Placement; readonly retention?: string };
    readonly status?: { readonly description: string; readonly type: string; readonly err?: string };
  }

  /** The state of a stream that is copied; `active` is the time since it was last heard of. */
  export interface StreamSourceInfo {
    readonly name: string;
    readonly external?: { readonly api: string; readonly deliver: string };
    readonly lag: Unsigned;
    readonly seq?: Unsigned;
    readonly active: number;
    readonly error?: { readonly code: number; readonly errCode: number; readonly description?: string };
    readonly filterSubject?: string;
    readonly subjectTransforms?: readonly SubjectTransform[];
  }

  /** The content of a stream. */
  export interface StreamState {
    readonly messages: Unsigned;
    readonly bytes: Unsigned;
    readonly firstSeq: Unsigned;
    readonly firstTs: string;
    readonly lastSeq: Unsigned;
    readonly lastTs: string;
    readonly consumerCount: number;
    readonly deleted: readonly Unsigned[] | null;
    readonly numDeleted: number;
    readonly numSubjects: Unsigned;
    readonly subjects: { readonly [subject: string]: Unsigned } | null;
    readonly lost?: { readonly msgs: readonly Unsigned[]; readonly bytes: Unsigned };
  }

  /** A stream's configuration and state. Times are strings such as `2026-01-31T12:00:00.5Z`. */
  export interface StreamInfo {
    readonly config: StreamConfiguration;
    readonly created: string;
    readonly state: StreamState;
    readonly domain?: string;
    readonly cluster?: ClusterInfo;
    readonly mirror?: StreamSourceInfo;
    readonly sources?: readonly StreamSourceInfo[];
    readonly alternates?: readonly { readonly name: string; readonly domain?: string; readonly cluster: string }[];
    readonly ts: string;
  }

  /** A consumer's position, in its own count and in the stream's. */
  export interface SequenceInfo {
    readonly consumerSeq: Unsigned;
    readonly streamSeq: Unsigned;
    readonly lastActive?: string;
  }

  /** A consumer's configuration and state; `pauseRemaining` is in milliseconds. */
  export interface ConsumerInfo {
    readonly streamName: string;
    readonly name: string;
    readonly created: string;
    readonly config: ConsumerConfiguration;
    readonly delivered: SequenceInfo;
    readonly ackFloor: SequenceInfo;
    readonly numAckPending: number;
    readonly numRedelivered: number;
    readonly numWaiting: number;
    readonly numPending: Unsigned;
    readonly cluster?: ClusterInfo;
    readonly pushBound?: boolean;
    readonly ts: string;
    readonly priorityGroups?: readonly { readonly group: string; readonly pinnedClientId?: string; readonly pinnedTs?: string }[];
    readonly paused?: boolean;
    readonly pauseRemaining?: number;
  }

  /** A key-value bucket's configuration and state. */
  export interface KeyValueInfo {
    readonly bucket: string;
    /** The number of values, including old ones and markers. */
    readonly values: Unsigned;
    readonly bytes: Unsigned;
    readonly history: number;
    readonly ttl: string | 0;
    readonly backingStore: string;
    readonly compressed: boolean;
    readonly config: KeyValueConfiguration;
  }

  /** An object store's configuration and state. */
  export interface ObjectStoreInfo {
    readonly bucket: string;
    readonly description: string;
    readonly ttl: string | 0;
    readonly storage: 'file' | 'memory';
    readonly replicas: number;
    readonly sealed: boolean;
    readonly size: Unsigned;
    readonly backingStore: string;
    readonly metadata: { readonly [name: string]: string } | null;
    readonly compressed: boolean;
  }

  /** A stream's acknowledgement of a stored message. */
  export interface Acknowledgement {
    stream: string;
    sequence: Unsigned;
    /** The stream has a message with the same msgID. */
    duplicate: boolean;
    domain: string;
  }

  /** Options of a publication to a stream. */
  export interface StreamPublishOptions extends CallOptions {
    headers?: Headers;
    /** Default: the client's. */
    timeout?: Duration;
    /** The stream stores only the first of several messages with the same id. */
    msgID?: string;
    /** Conditions; if they do not hold, the message is not stored. */
    expectStream?: string;
    expectLastMsgID?: string;
    expectLastSequence?: Unsigned;
    expectLastSequenceForSubject?: Unsigned;
    /**
     * How long the message stays, rounded up to seconds, in a stream with `allowMsgTtl`. Default 0:
     * the stream's setting.
     */
    ttl?: TTL;
    /** For publishBatch: how many times the data is published. */
    iterations?: number;
  }

  /** A message as it is stored in a stream. */
  export interface StoredMessage {
    readonly subject: string;
    readonly data: string;
    readonly raw: ArrayBuffer;
    readonly headers: { readonly [name: string]: string };
    readonly sequence: Unsigned;
    readonly timestamp: Date;
  }

  /** JetStream over a client's connection. */
  export interface JetStream {
    /**
     * Publishes a message to the stream that stores its subject, and waits for the acknowledgement.
     */
    publish(subject: string, data?: Data, options?: StreamPublishOptions): Acknowledgement;
    /** {@link JetStream.publish} as a promise. */
    asyncPublish(subject: string, data?: Data, options?: StreamPublishOptions): Promise<Acknowledgement>;
    /**
     * Publishes a message without waiting for an acknowledgement, unless maxPending are missing:
     * see complete.
     */
    publishNoWait(subject: string, data?: Data, options?: StreamPublishOptions): void;
    /**
     * Waits for all missing acknowledgements.
     *
     * @returns how many messages were stored since the last call
     * @throws if any was not; the message says how many
     */
    complete(timeout?: Duration, options?: CallOptions): number;
    /** {@link JetStream.complete} as a promise. */
    asyncComplete(timeout?: Duration, options?: CallOptions): Promise<number>;
    /**
     * Publishes many messages in one call, like {@link Client.publishBatch}; then waits, and
     * throws, like complete.
     */
    publishBatch(subject: string, data: Data | readonly Data[], options?: StreamPublishOptions): BatchResult;
    /** {@link JetStream.publishBatch} as a promise. */
    asyncPublishBatch(subject: string, data: Data | readonly Data[], options?: StreamPublishOptions): Promise<BatchResult>;

    /** Creates a stream. Throws kind `conflict` if a different one exists. */
    createStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.createStream} as a promise. */
    asyncCreateStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /** Changes a stream. Throws kind `not_found` if it does not exist. */
    updateStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.updateStream} as a promise. */
    asyncUpdateStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /** Creates or updates a stream. */
    ensureStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.ensureStream} as a promise. */
    asyncEnsureStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /**
     * Returns a stream's configuration and state. Throws kind `not_found` if it does not
     * exist.
     */
    streamInfo(name: string, options?: CallOptions): StreamInfo;
    /** {@link JetStream.streamInfo} as a promise. */
    asyncStreamInfo(name: string, options?: CallOptions): Promise<StreamInfo>;
    /** Removes a stream with its messages. Throws kind `not_found` if it does not exist. */
    deleteStream(name: string, options?: CallOptions): void;
    /** {@link JetStream.deleteStream} as a promise. */
    asyncDeleteStream(name: string, options?: CallOptions): Promise<void>;
    /**
     * Removes messages: all, those of a subject, all but the last `keep`, or those before
     * `sequence`.
     */
    purgeStream(name: string, options?: CallOptions): void;
    /** {@link JetStream.purgeStream} as a promise. */
    asyncPurgeStream(name: string, options?: CallOptions): Promise<void>;
    /** Returns the names of all streams. */
    streams(options?: CallOptions): string[];
    /** {@link JetStream.streams} as a promise. */
    asyncStreams(options?: CallOptions): Promise<string[]>;
    /** Returns the message at a position of the stream, or the last one of a subject, or null. */
    getMessage(stream: string, place: Unsigned | string, options?: CallOptions): StoredMessage | null;
    /** {@link JetStream.getMessage} as a promise. */
    asyncGetMessage(stream: string, place: Unsigned | string, options?: CallOptions): Promise<StoredMessage | null>;

    /** Returns an existing consumer. Sends no request. */
    consumer(stream: string, name: string): Consumer;
    /**
     * Returns an ordered consumer: each message once, in the stream's order, without
     * acknowledgements. Its first use creates it.
     */
    orderedConsumer(stream: string, configuration?: OrderedConsumerConfiguration): Consumer;
    /** Creates a consumer. Throws kind `conflict` if a different one exists. */
    createConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.createConsumer} as a promise. */
    asyncCreateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Changes a consumer. Throws kind `not_found` if it does not exist. */
    updateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.updateConsumer} as a promise. */
    asyncUpdateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Creates or updates a consumer. */
    ensureConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.ensureConsumer} as a promise. */
    asyncEnsureConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Removes a consumer. Throws kind `not_found` if it does not exist. */
    deleteConsumer(stream: string, name: string, options?: CallOptions): void;
    /** {@link JetStream.deleteConsumer} as a promise. */
    asyncDeleteConsumer(stream: string, name: string, options?: CallOptions): Promise<void>;

    /** Returns an existing bucket. Sends no request. */
    keyValue(bucket: string): KeyValue;
    /** Creates a bucket. Throws kind `conflict` if a different one exists. */
    createKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.createKeyValue} as a promise. */
    asyncCreateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Changes a bucket. Throws kind `not_found` if it does not exist. */
    updateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.updateKeyValue} as a promise. */
    asyncUpdateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Creates or updates a bucket. */
    ensureKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.ensureKeyValue} as a promise. */
    asyncEnsureKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Removes a bucket with its values. Throws kind `not_found` if it does not exist. */
    deleteKeyValue(bucket: string, options?: CallOptions): void;
    /** {@link JetStream.deleteKeyValue} as a promise. */
    asyncDeleteKeyValue(bucket: string, options?: CallOptions): Promise<void>;
    /** Returns the names of all buckets. */
    keyValues(options?: CallOptions): string[];
    /** {@link JetStream.keyValues} as a promise. */
    asyncKeyValues(options?: CallOptions): Promise<string[]>;

    /** Returns an existing object store. Sends no request. */
    objectStore(bucket: string): ObjectStore;
    /** Creates an object store. Throws kind `conflict` if a different one exists. */
    createObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.createObjectStore} as a promise. */
    asyncCreateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /** Changes an object store. Throws kind `not_found` if it does not exist. */
    updateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.updateObjectStore} as a promise. */
    asyncUpdateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /** Creates or updates an object store. */
    ensureObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.ensureObjectStore} as a promise. */
    asyncEnsureObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /**
     * Removes an object store with its objects. Throws kind `not_found` if it does not exist.
     */
    deleteObjectStore(bucket: string, options?: CallOptions): void;
    /** {@link JetStream.deleteObjectStore} as a promise. */
    asyncDeleteObjectStore(bucket: string, options?: CallOptions): Promise<void>;
    /** Returns the names of all object stores. */
    objectStores(options?: CallOptions): string[];
    /** {@link JetStream.objectStores} as a promise. */
    asyncObjectStores(options?: CallOptions): Promise<string[]>;
  }

  /** Options of consume. */
  export interface ConsumeOptions extends CallOptions {
    /** How many messages are requested before the callback handles them. Default 500. */
    maxMessages?: number;
  }

  /** A consumer of a stream. */
  export interface Consumer {
    /** Returns the consumer's configuration and state. */
    info(options?: CallOptions): ConsumerInfo;
    /** {@link Consumer.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<ConsumerInfo>;
    /** Returns the next message, or null if none arrives within timeout (default: the client's). */
    next(timeout?: Duration, options?: CallOptions): StreamMessage | null;
    /** {@link Consumer.next} as a promise. */
    asyncNext(timeout?: Duration, options?: CallOptions): Promise<StreamMessage | null>;
    /** Returns up to n messages: as soon as there are n, or at the timeout. */
    fetch(n: number, options: FetchOptions & { discard: true }): number;
    fetch(n: number, options?: FetchOptions): StreamMessage[];
    /** {@link Consumer.fetch} as a promise. */
    asyncFetch(n: number, options: FetchOptions & { discard: true }): Promise<number>;
    asyncFetch(n: number, options?: FetchOptions): Promise<StreamMessage[]>;
    /**
     * Passes messages to the callback, with up to maxMessages (default 500) requested in advance.
     */
    consume(callback: (message: StreamMessage) => void, options?: ConsumeOptions): Feed<StreamMessage>;
    consume(callback?: null, options?: ConsumeOptions): Feed<StreamMessage>;
  }

  /** A value of a bucket. */
  export interface Entry {
    readonly bucket: string;
    readonly key: string;
    /** Decoded from UTF-8 (invalid bytes become U+FFFD). */
    readonly value: string;
    /** As bytes. */
    readonly raw: ArrayBuffer;
    readonly revision: Unsigned;
    readonly created: Date;
    readonly operation: 'put' | 'delete' | 'purge';
    /** How many more entries followed when this one was sent. */
    readonly delta: number;
  }

  /** Options of watch. */
  export interface WatchOptions extends CallOptions {
    /** Include all stored revisions of each key. */
    history?: boolean;
    /** Leave out the entries that exist now. */
    updatesOnly?: boolean;
    ignoreDeletes?: boolean;
    /** Leave out the values. */
    metaOnly?: boolean;
    /** The revision to begin with. */
    resume?: number;
  }

  /** Options of create. */
  export interface CreateOptions extends CallOptions {
    /**
     * Time until the value expires, rounded up to seconds, in a bucket with `limitMarkerTtl`.
     * Default 0: the bucket's setting.
     */
    ttl?: TTL;
  }

  /** A key-value bucket. A missing key is not an error: reading it returns null. */
  export interface KeyValue {
    readonly bucket: string;
    /** Returns the entry of a key, or null. */
    get(key: string, options?: CallOptions): Entry | null;
    /** {@link KeyValue.get} as a promise. */
    asyncGet(key: string, options?: CallOptions): Promise<Entry | null>;
    /** Returns the entry that a key had with this revision, or null. */
    getRevision(key: string, revision: Unsigned, options?: CallOptions): Entry | null;
    /** {@link KeyValue.getRevision} as a promise. */
    asyncGetRevision(key: string, revision: Unsigned, options?: CallOptions): Promise<Entry | null>;
    /** Stores the value, and returns its revision. */
    put(key: string, value?: Data, options?: CallOptions): Unsigned;
    /** {@link KeyValue.put} as a promise. */
    asyncPut(key: string, value?: Data, options?: CallOptions): Promise<Unsigned>;
    /** Stores the value if the key does not exist. Throws kind `conflict` if it does. */
    create(key: string, value?: Data, options?: CreateOptions): Unsigned;
    /** {@link KeyValue.create} as a promise. */
    asyncCreate(key: string, value?: Data, options?: CreateOptions): Promise<Unsigned>;
    /**
     * Stores the value if the key has this revision. Throws kind `wrong_sequence` if it has
     * not. The new value has no `ttl`, even if the old one had.
     */
    update(key: string, value: Data, revision: Unsigned, options?: CallOptions): Unsigned;
    /** {@link KeyValue.update} as a promise. */
    asyncUpdate(key: string, value: Data, revision: Unsigned, options?: CallOptions): Promise<Unsigned>;
    /**
     * Deletes a key by a marker that follows its values; with a revision, only if the key has it.
     */
    delete(key: string, revision?: Unsigned, options?: CallOptions): void;
    /** {@link KeyValue.delete} as a promise. */
    asyncDelete(key: string, revision?: Unsigned, options?: CallOptions): Promise<void>;
    /**
     * Like delete, but removes all values of the key. With a `ttl` the marker expires, in a bucket
     * with `limitMarkerTtl`.
     */
    purge(key: string, revision?: Unsigned | { revision?: Unsigned; ttl?: TTL }, options?: CallOptions): void;
    /** {@link KeyValue.purge} as a promise. */
    asyncPurge(key: string, revision?: Unsigned | { revision?: Unsigned; ttl?: TTL }, options?: CallOptions): Promise<void>;
    /** Returns the keys, or those that match filters such as `a.*`. */
    keys(filters?: string | readonly string[], options?: CallOptions): string[];
    /** {@link KeyValue.keys} as a promise. */
    asyncKeys(filters?: string | readonly string[], options?: CallOptions): Promise<string[]>;
    /** Returns all stored revisions of the key, oldest first. */
    history(key: string, options?: CallOptions): Entry[];
    /** {@link KeyValue.history} as a promise. */
    asyncHistory(key: string, options?: CallOptions): Promise<Entry[]>;
    /** Returns the bucket's configuration and state. */
    info(options?: CallOptions): KeyValueInfo;
    /** {@link KeyValue.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<KeyValueInfo>;
    /** Passes the present entries and then all changes to the callback. */
    watch(filters: string | readonly string[] | null | undefined, callback: (entry: Entry) => void, options?: WatchOptions): Feed<Entry>;
    watch(filters?: string | readonly string[] | null, options?: WatchOptions): Feed<Entry>;
  }

  /** An object's name and properties. */
  export interface ObjectDescription {
    name: string;
    description?: string;
    headers?: Headers;
    metadata?: { [name: string]: string };
    /** Bytes of a chunk. Default 131072. */
    chunkSize?: number;
  }

  /** The description of a stored object. */
  export interface ObjectInfo {
    readonly name: string;
    readonly description?: string;
    readonly headers?: { readonly [name: string]: readonly string[] };
    readonly metadata?: { readonly [name: string]: string };
    readonly options?: { readonly link?: { readonly bucket: string; readonly name?: string }; readonly maxChunkSize?: number };
    readonly bucket: string;
    readonly nuid: string;
    readonly size: number;
    readonly mtime: string;
    readonly chunks: number;
    readonly digest?: string;
    readonly deleted?: boolean;
  }

  /** An object with its data. */
  export interface StoredObject extends ObjectInfo {
    readonly data: string;
    readonly raw: ArrayBuffer;
  }

  /** An object store. A missing object is not an error: reading it returns null. */
  export interface ObjectStore {
    readonly bucket: string;
    /** Stores an object, replaces one with the same name, and returns its description. */
    put(object: string | ObjectDescription, data?: Data, options?: CallOptions): ObjectInfo;
    /** {@link ObjectStore.put} as a promise. */
    asyncPut(object: string | ObjectDescription, data?: Data, options?: CallOptions): Promise<ObjectInfo>;
    /** Returns an object with its data, or null. */
    get(name: string, options?: CallOptions): StoredObject | null;
    /** {@link ObjectStore.get} as a promise. */
    asyncGet(name: string, options?: CallOptions): Promise<StoredObject | null>;
    /** Returns an object's description, or null. */
    stat(name: string, options?: CallOptions): ObjectInfo | null;
    /** {@link ObjectStore.stat} as a promise. */
    asyncStat(name: string, options?: CallOptions): Promise<ObjectInfo | null>;
    /** Removes an object. */
    delete(name: string, options?: CallOptions): void;
    /** {@link ObjectStore.delete} as a promise. */
    asyncDelete(name: string, options?: CallOptions): Promise<void>;
    /** Returns the descriptions of all objects. */
    list(options?: CallOptions): ObjectInfo[];
    /** {@link ObjectStore.list} as a promise. */
    asyncList(options?: CallOptions): Promise<ObjectInfo[]>;
    /** Returns the object store's configuration and state. */
    info(options?: CallOptions): ObjectStoreInfo;
    /** {@link ObjectStore.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<ObjectStoreInfo>;
  }

  /** Options of layout. */
  export interface LayoutOptions {
    /**
     * `orb`: go-orb's natsjs store. `orb-compat`: the same in its mode for go-micro, in which the
     * tables of a database share their keys, a bug of go-orb. `micro`: go-micro's nats-js-kv store
     * with its option EncodeKeys.
     */
    layout: 'orb' | 'orb-compat' | 'micro';
    /** Default `"default"`. */
    database?: string;
    /** Of new buckets. Default 1. */
    replicas?: number;
  }

  /** A record of a layout. */
  export interface LayoutRecord {
    readonly table: string;
    readonly key: string;
    /** Decoded from UTF-8 (invalid bytes become U+FFFD). */
    readonly value: string;
    /** As bytes. */
    readonly raw: ArrayBuffer;
    /** For `micro`, if the record has any. */
    readonly metadata: { readonly [name: string]: any } | null;
  }

  /** Options of calls for a table of the database. */
  export interface TableOptions extends CallOptions {
    table?: string;
  }

  /** Options of put. */
  export interface RecordOptions extends TableOptions {
    metadata?: { [name: string]: any };
  }

  /** Options of list. */
  export interface ListOptions extends TableOptions {
    prefix?: string;
    suffix?: string;
    limit?: number;
    offset?: number;
  }

  /** A database in a published layout. It creates buckets when they are needed. */
  export interface Layout {
    /** Writes a record. Only `micro` stores metadata. */
    put(key: string, value?: Data, options?: RecordOptions): void;
    /** {@link Layout.put} as a promise. */
    asyncPut(key: string, value?: Data, options?: RecordOptions): Promise<void>;
    /** Returns the record, or null. */
    get(key: string, options?: TableOptions): LayoutRecord | null;
    /** {@link Layout.get} as a promise. */
    asyncGet(key: string, options?: TableOptions): Promise<LayoutRecord | null>;
    /** Removes the record. A missing record is not an error. */
    delete(key: string, options?: TableOptions): void;
    /** {@link Layout.delete} as a promise. */
    asyncDelete(key: string, options?: TableOptions): Promise<void>;
    /**
     * Returns keys. As in the libraries, this transfers all keys of the bucket. With `orb` and
     * `orb-compat`, paging comes before the filter, and an empty bucket is an error of kind
     * `not_found`.
     */
    list(options?: ListOptions): string[];
    /** {@link Layout.list} as a promise. */
    asyncList(options?: ListOptions): Promise<string[]>;
    /** Deletes the database with all its records. */
    drop(options?: CallOptions): void;
    /** {@link Layout.drop} as a promise. */
    asyncDrop(options?: CallOptions): Promise<void>;
    /**
     * Runs a workload's operations in Go, on records without a table: get, set (a put), delete and
     * getOrSet, without time to live and pipeline. On Linux the clients continue in the order in
     * which their answers arrive, except in an open loop. It uses the connection for runs: see
     * {@link Client}. A bucket that does not allow direct gets, or mirrors another one, needs the
     * client's other connection, without this order.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /**
     * Runs operations of a core workload of YCSB. A record is one value, so scans are not
     * supported, and `writeAllFields` is required.
     *
     * @throws kind `usage`: an option is unknown or has a wrong value, or the store does not
     *   support it
     */
    ycsb(workload: XK6SweepYCSB.Workload, call: XK6SweepYCSB.Call): XK6SweepYCSB.Result;
    /**
     * Writes all keys of a workload once, each client its share: see `prefill` of k6/x/memcached.
     */
    prefill(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
  }

  /**
   * A row of the published benchmark of go-orb's and go-micro's stores (go-orb/plugins,
   * kvstore/natsjs_micro_tests).
   */
  export interface NatsjsRowDescription {
    /** The name of the Go benchmark, without Benchmark. */
    readonly name: string;
    /** Rows with the same pair are compared. */
    readonly pair: string;
    readonly layout: 'orb' | 'orb-compat' | 'micro';
    /** The work of an iteration. */
    readonly loop: string;
    /** The content of the database before the first iteration. */
    readonly fill: string;
    /** Values have 1 MiB. */
    readonly large: boolean;
    readonly limit: number;
    readonly offset: number;
    /** The authors' result per operation; null for rows that are not theirs. */
    readonly published: {
      readonly iterations: number;
      readonly nanoseconds: number;
      readonly bytes: number;
      readonly allocations: number;
    } | null;
  }

  /** Options of natsjsRow. */
  export interface NatsjsRowOptions {
    /** Must hold only the row's records. Default `"default"`. */
    database?: string;
    /** For the rows that list. Default 100 tables of 1000 keys. */
    tables?: number;
    keys?: number;
    replicas?: number;
  }

  /** How much a run does: one of the two. */
  export interface NatsjsRowRun extends CallOptions {
    iterations?: number;
    duration?: Duration;
  }

  /** The result of a run. Its bytes are those of values. */
  export interface NatsjsRowResult extends BatchResult {
    /** Keys that lists returned. */
    readonly keys: number;
    /** Bytes of the connection. */
    readonly dataSent: Unsigned;
    readonly dataReceived: Unsigned;
  }

  /** A row of the published benchmark, over a client's connection. */
  export interface NatsjsRow {
    /** Writes the records that the row needs before its first iteration. */
    fill(timeout?: Duration, options?: CallOptions): void;
    /** {@link NatsjsRow.fill} as a promise. */
    asyncFill(timeout?: Duration, options?: CallOptions): Promise<void>;
    /**
     * Runs iterations in Go, each an operation of the step with the row's name, and checks what
     * they read. Failed ones are counted and do not throw.
     */
    run(options: NatsjsRowRun): NatsjsRowResult;
    /** Deletes the row's database. */
    drop(timeout?: Duration, options?: CallOptions): void;
    /** {@link NatsjsRow.drop} as a promise. */
    asyncDrop(timeout?: Duration, options?: CallOptions): Promise<void>;
  }

  /**
   * The 18 published rows in order, two fair counterparts of its lists, and rows of go-orb in its
   * compatible mode.
   */
  export const natsjsRows: readonly NatsjsRowDescription[];

  const nats: { Client: typeof Client; Nats: typeof Nats; natsjsRows: typeof natsjsRows };
  export default nats;
}

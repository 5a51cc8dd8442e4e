/// <reference path="../internal/cachebench/index.d.ts" />
/// <reference path="../internal/k6mod/index.d.ts" />
/**
 * k6/x/nats: a client of NATS, its JetStream, key-value and object stores.
 *
 * Operations that wait for an answer have two forms. The plain one, such as `request`, blocks its
 * VU until it is done, and throws a {@link NatsError} when it fails. The asynchronous one,
 * `asyncRequest`, takes the same arguments and returns a promise, which is rejected with the same
 * error; several may be under way at once. What is passed is copied at the call. k6 ends an
 * iteration when all that it has begun is done: a callback's subscription, too, must be closed.
 * While a call blocks, no callback runs.
 *
 * Metrics: `nats_ops` (Counter) and `nats_op_duration` (Trend in milliseconds; not under the
 * executor client-sweep, which has durations of its own), each with the tags `op` (connect,
 * publish, publishBatch, request, requestMany, subscribe, respond, next, fetch, deliver, flush,
 * drain, rtt, ack, ackSync, nak, term, inProgress; those of JetStream begin with `js.`, `kv.` and
 * `object.`, such as `js.publish` and `kv.get`; those of a published layout with `layout.` and
 * `row.`) and `outcome` (ok, or the error's kind); `nats_errors` (Counter with the tag `kind`:
 * operations that failed, and what went wrong by itself, such as slow_consumer);
 * `nats_messages_sent`, `nats_messages_received`, `nats_bytes_sent` and `nats_bytes_received`
 * (Counters: messages that were sent or have reached the script, and their data);
 * `nats_delivery_latency` (Trend in milliseconds, from when a message was sent, by a client with
 * the option `stamp`, or stored in its stream; by the clocks of two machines if there are two; not
 * under client-sweep); `nats_connects`, `nats_reconnects` and `nats_disconnects` (Counters);
 * besides k6's own `data_sent` and `data_received`, which are the connection's bytes. With the
 * option `tagSubjects`, `nats_ops` and `nats_op_duration` of operations with a subject have the tag
 * `subject`.
 *
 * The last argument of every call may be, or hold, `{ tags: { page: 'login' } }`: tags of that
 * call's samples in the metrics above.
 *
 * In a sweep, a call counts as one operation, and the messages that it sent or received as its
 * rows. These do many operations in one call, in Go, of which each is one of the step, under a name
 * of its own, to be named in the scenario's `ops`: `requestBatch` (request), `fetch` with the
 * option `each` (deliver), {@link Layout.run} (get, set, delete) and {@link NatsjsRow.run} (the
 * row's name). They return when the client's share is done.
 *
 * Scripts that were written for ydarias/xk6-nats:
 *
 * | there | here |
 * |---|---|
 * | `new Nats({ servers, unsafe, token })` | the same; it connects at the first use. `new Client(urls)` has `tls` instead of `unsafe` |
 * | `publish`, `publishWithHeaders`, `publishMsg` | the same |
 * | `request(topic, payload, headers)`, which never sent them | `request(topic, payload, { headers })` |
 * | `subscribe(topic, callback)`, which ran it beside the script | the same, on k6's event loop: after the code that subscribes |
 * | `subscription.close()`, `message.data`, `.topic`, `.headers` | the same |
 * | `message.raw`, an array of numbers | an ArrayBuffer |
 * | `jetStreamSetup(configuration)` | the same; `storage`, `discard` and `retention` are names ('file', 'old', 'limits'), not numbers |
 * | `jetStreamPublish`, `-WithHeaders`, `-Msg` | the same; they return the acknowledgement |
 * | `jetStreamSubscribe(topic, callback)` | the same, as an ordered consumer |
 * | `jetStreamDelete(name)`, which dropped its error | `jetStream().deleteStream(name)` |
 *
 * `nats_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `nats_failed: ['rate<0.01']`.
 */
declare module 'k6/x/nats' {
  /**
   * A time: a string such as `"5s"`, `"1m30s"`, `"300ms"` or `"1d"`, or a number of milliseconds
   * from 100 on.
   */
  export type Duration = XK6Sweep.Duration;

  /** How long a value lives: a string such as `"60s"`, 0 for ever, or the Date of its end. */
  export type TTL = XK6Sweep.TTL;

  /** Tags of a call, as those of k6/http. */
  export type Tags = XK6Sweep.Tags;

  /**
   * A string is sent as UTF-8. Of a typed array or DataView, the part of the buffer that it shows.
   */
  export type Data = string | ArrayBuffer | ArrayBufferView | null | undefined;

  /** Each name with its value or values. */
  export interface Headers {
    [name: string]: string | readonly string[];
  }

  /** A number of up to 64 bits: beyond 2^53 - 1 a BigInt. */
  export type Unsigned = number | bigint;

  /** TLS, as all modules have it. */
  export interface TLSOptions extends XK6Sweep.TLSOptions {
    /**
     * Whether the handshake comes before the server has said anything, for one with
     * `handshake_first`. Default false.
     */
    first?: boolean;
  }

  /**
   * How to reach the servers, and how to use them. Of several urls, one is taken; it is another one
   * when the connection breaks.
   */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** What the server shows of the client. */
    name?: string;
    /** One way of: user and password, token, credentials, nkey. They are in no error's message. */
    user?: string;
    password?: string;
    token?: string;
    /** The text of a credentials file: a user's JWT and NKEY seed. */
    credentials?: string;
    /**
     * The path of a credentials file, relative to the script. It is read in the init context, as
     * `open()` does, and becomes a part of an archive.
     */
    credentialsFile?: string;
    /** The seed of a user's key (SU...), alone or with the user's `jwt`. */
    nkey?: string;
    jwt?: string;
    /** Default: none, unless the server wants it. `true` for TLS with nothing special. */
    tls?: boolean | TLSOptions;
    /** How often it is asked whether the server is there. Default `"2m"`. */
    pingInterval?: Duration;
    /**
     * How often each server is tried again when the connection has broken; -1 for ever, 0 not at
     * all. Default 60.
     */
    maxReconnects?: number;
    /** Default `"2s"`, and up to reconnectJitter (default 0) more. */
    reconnectWait?: Duration;
    reconnectJitter?: Duration;
    /**
     * Bytes that may be published while there is no connection. Default 0: that is an error of kind
     * `connection`.
     */
    reconnectBuffer?: number;
    /** Of the subjects at which answers arrive. Default `"_INBOX"`. */
    inboxPrefix?: string;
    /**
     * The client's own subscriptions get nothing of what it publishes, other than by requestBatch.
     */
    noEcho?: boolean;
    /** The servers are tried in their order. */
    noRandomize?: boolean;
    /**
     * `"vu"` (default): a connection of its own, as a client of a sweep is a connection.
     * `"shared"`: all VUs whose clients have equal options share one.
     */
    connection?: 'vu' | 'shared';
    /** Sends the time with each message, in the header K6-Sent, for `nats_delivery_latency`. */
    stamp?: boolean;
    /** Metrics tell subjects apart. Each is a time series of its own: only where there are few. */
    tagSubjects?: boolean;
  }

  /**
   * What every call takes. Tags of `subscribe`, `consume` and `watch` are those of what comes, too.
   */
  export interface CallOptions {
    /** Tags of the call's metrics, beside `op` and `outcome`, as those of k6/http. */
    tags?: Tags;
  }

  /** Options of connect. */
  export interface ConnectOptions extends CallOptions {
    /**
     * `true` connects what runs in Go, in the place of the client's other connection: see
     * {@link Client}. Default false.
     */
    runs?: boolean;
  }

  /** Options of publish. Frozen ones (Object.freeze) are read once. */
  export interface PublishOptions extends CallOptions {
    headers?: Headers;
    /** The subject at which an answer is expected. */
    reply?: string;
  }

  /** Options of publishBatch. */
  export interface BatchOptions extends PublishOptions {
    /** How many times over the data is published. Default 1. */
    iterations?: number;
  }

  /** What many operations in one call came to: `succeeded` and `failed` are all that were tried. */
  export interface BatchResult {
    readonly succeeded: number;
    readonly failed: number;
    readonly seconds: number;
    /** Bytes of data, of those that succeeded. */
    readonly bytesSent: number;
    readonly bytesReceived: number;
  }

  /** Options of request. */
  export interface RequestOptions extends CallOptions {
    headers?: Headers;
    /** Default: the client's. */
    timeout?: Duration;
  }

  /**
   * Options of requestMany, which ends with the first of: max answers, no answer for `stall`, an
   * empty one, the timeout.
   */
  export interface RequestManyOptions extends RequestOptions {
    max?: number;
    stall?: Duration;
  }

  /** Options of requestBatch. */
  export interface RequestBatchOptions extends RequestOptions {
    /** How many requests. Default 1, where there is no duration. */
    iterations?: number;
    /** How long requests are made, in the place of iterations. */
    duration?: Duration;
  }

  /** Options of subscribe and respond. */
  export interface SubscribeOptions extends CallOptions {
    /** Of the subscriptions with the same queue, one gets each message. */
    queue?: string;
    /** Messages after which it ends by itself. Default: it does not. */
    max?: number;
    /**
     * Messages that may wait. What comes then is dropped: `slow_consumer`. Default 65536, for which
     * 512 kB are set aside.
     */
    pending?: number;
  }

  /** Options of fetch. */
  export interface FetchOptions extends CallOptions {
    /** Default: the client's. */
    timeout?: Duration;
    /** Only what is there already. */
    noWait?: boolean;
    /** Messages are counted, in Go, and cost no JavaScript: fetch returns their number. */
    discard?: boolean;
    /** Messages of a consumer are acknowledged, in Go. */
    ack?: boolean;
    /**
     * Each message is an operation `deliver` of the step, which took from when it was sent, by a
     * client with the option `stamp`, or stored in its stream, until it was taken here; of those
     * that have not come in time, each is one that failed. Outside of a sweep the times are
     * `nats_delivery_latency`.
     */
    each?: boolean;
    /** Of a consumer's messages, at most so many bytes. */
    maxBytes?: number;
  }

  /**
   * A message of a subscription, or an answer. Its properties are made when they are asked for; it
   * cannot be changed.
   */
  export interface Message {
    readonly subject: string;
    /** The same as subject. */
    readonly topic: string;
    /** Where an answer is expected; empty if none is. */
    readonly reply: string;
    /** As UTF-8 (any other bytes become U+FFFD). */
    readonly data: string;
    /** As it is. */
    readonly raw: ArrayBuffer;
    /** Each name with its first value. */
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
    /** Its place in the stream. */
    readonly sequence: Unsigned;
    readonly consumerSequence: Unsigned;
    /** How often it was delivered, with this time. */
    readonly deliveries: number;
    /** How many more messages there are for the consumer. */
    readonly pending: Unsigned;
    readonly timestamp: Date;
    /** It is done. Nobody waits for the server to know. */
    ack(options?: CallOptions): void;
    /** It is done, and the server has said that it knows. */
    ackSync(timeout?: Duration, options?: CallOptions): void;
    /** {@link StreamMessage.ackSync} as a promise. */
    asyncAckSync(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** Deliver it again, now or later. */
    nak(delay?: Duration, options?: CallOptions): void;
    /** Never deliver it again. */
    term(reason?: string, options?: CallOptions): void;
    /** It takes longer: do not deliver it again yet. */
    inProgress(options?: CallOptions): void;
  }

  /**
   * Messages that come by themselves. With a callback, they go there; the iteration then lasts
   * until it is closed or ends.
   */
  export interface Feed<T> {
    /**
     * The next message; null when none has come within timeout (default: the client's), or none can
     * come any more.
     */
    next(timeout?: Duration, options?: CallOptions): T | null;
    /** {@link Feed.next} as a promise. */
    asyncNext(timeout?: Duration, options?: CallOptions): Promise<T | null>;
    /** Up to n messages: those that have come when there are n, or the time is over. */
    fetch(n: number, options: FetchOptions & { discard: true }): number;
    fetch(n: number, options?: FetchOptions): T[];
    /** {@link Feed.fetch} as a promise. */
    asyncFetch(n: number, options: FetchOptions & { discard: true }): Promise<number>;
    asyncFetch(n: number, options?: FetchOptions): Promise<T[]>;
    /**
     * An asynchronous iterator. k6 itself has no `for await` yet: call `next()`, or let a compiler
     * (such as esbuild with a target before es2018) translate it.
     */
    messages(): AsyncIterableIterator<T>;
    /** How many messages wait. */
    pending(): number;
    /** Whether nothing more comes: it was closed, by the script or by its connection. */
    isClosed(): boolean;
    /** No more messages are wanted. Those that have come already can still be taken. */
    close(): void;
  }

  /** A subscription to a subject. */
  export interface Subscription extends Feed<Message> {
    /** No more messages are wanted; returns when those that are on their way have come. */
    drain(timeout?: Duration, options?: CallOptions): void;
    /** {@link Subscription.drain} as a promise. */
    asyncDrain(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** How many messages were dropped because too many waited. */
    dropped(): number;
  }

  /** A service that {@link Client.respond} runs. */
  export interface Responder {
    /** Answers no more requests. */
    close(): void;
  }

  /** What a server says of itself. */
  export interface ServerInfo {
    server: string;
    version: string;
    url: string;
    cluster: string;
    maxPayload: number;
    tls: boolean;
  }

  /**
   * What went wrong.
   *
   * | kind | |
   * |---|---|
   * | `connect` | no server could be reached within connectTimeout |
   * | `connection` | the connection is broken, or is just being made again |
   * | `timeout` | no answer within timeout |
   * | `cancelled` | the test ended |
   * | `auth` | the server does not let this user in, or not do this (to a request, it says so without an answer: after timeout; to runs at once) |
   * | `busy` | the server has no room for the client, or maxPending acknowledgements are missing and none comes |
   * | `no_responders` | nobody listens to the subject; no stream takes it |
   * | `not_found` | there is no such stream, consumer or bucket |
   * | `conflict` | it exists already |
   * | `wrong_sequence` | the last sequence or revision is another one than expected |
   * | `too_large` | the message is larger than the server or the stream takes |
   * | `full` | the stream holds as much as it may, and discards what is new |
   * | `slow_consumer` | messages were dropped: more came than were taken |
   * | `protocol` | the server has sent what is no NATS; the connection is closed |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `server` | any other error of the server |
   * | `internal` | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
   *
   * A broken connection is made again by itself, with its subscriptions; no operation is tried
   * again by itself, except that a stream's publication asks twice more where nobody answers at
   * all.
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
    /** Of JetStream's API, such as 10071; 0 for errors that are not JetStream's. */
    code: number;
  }

  /**
   * A connection of one VU: opened by the first operation that needs it, made again when it breaks,
   * and closed when the VU has no more use for it (the end of setup or teardown, of the client's
   * step under client-sweep, or of the test). Make it in the init context, once per VU; use it in
   * functions.
   *
   * What runs in Go, {@link Client.requestBatch}, {@link Layout.run} and {@link Layout.prefill},
   * has a connection of its own, that of runs. The first such call opens it, or
   * `connect({ runs: true })`, and when it broke, the next operation. Its options are the client's;
   * those of reconnecting, and pingInterval, are for the other one. A client that does nothing else
   * has one connection. Where a bucket is missing, one more makes it, and is closed. With
   * `connection: 'shared'`, and through WebSockets, all is over the same one.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url where the servers are: `nats://user:password@host:port`, `tls://`, `ws://`,
     *   `wss://`, `host:port` or `host` (port 4222);
     * several as an array, or with commas. Default `nats://127.0.0.1:4222`
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /**
     * Connects now, if that was not done yet.
     * In a sweep, clients do it in their order, one after another.
     */
    connect(options?: ConnectOptions): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: ConnectOptions): Promise<void>;
    /** Closes the connection, and that of runs. The next operation opens a new one. */
    close(): void;
    /** Returns when the server has taken all that was published. */
    flush(timeout?: Duration, options?: CallOptions): void;
    /** {@link Client.flush} as a promise. */
    asyncFlush(timeout?: Duration, options?: CallOptions): Promise<void>;
    /**
     * Ends all subscriptions, sends what is left, and closes the connection. Not with
     * `connection: 'shared'`.
     */
    drain(timeout?: Duration, options?: CallOptions): void;
    /** {@link Client.drain} as a promise. */
    asyncDrain(timeout?: Duration, options?: CallOptions): Promise<void>;
    /** Milliseconds that the server takes to answer a ping. */
    rtt(options?: CallOptions): number;
    /** {@link Client.rtt} as a promise. */
    asyncRtt(options?: CallOptions): Promise<number>;
    /** What the server has said of itself; null without a connection. */
    info(): ServerInfo | null;

    /** Publishes a message. Nobody waits for the server: see flush. */
    publish(subject: string, data?: Data, options?: PublishOptions): void;
    /**
     * Publishes many messages in one call, in Go: the data, or each of an array, `iterations` times
     * over. A frozen array is read once.
     *
     * @throws at the first that fails: what is returned has no failed ones
     */
    publishBatch(subject: string, data: Data | readonly Data[], options?: BatchOptions): BatchResult;
    /**
     * Publishes a message, and returns the answer. A callback of the same VU cannot give it while
     * the VU waits: that is for {@link Client.asyncRequest}.
     */
    request(subject: string, data?: Data, options?: RequestOptions): Message;
    /** {@link Client.request} as a promise. */
    asyncRequest(subject: string, data?: Data, options?: RequestOptions): Promise<Message>;
    /** Publishes a message, and returns all answers. */
    requestMany(subject: string, data?: Data, options?: RequestManyOptions): Message[];
    /** {@link Client.requestMany} as a promise. */
    asyncRequestMany(subject: string, data?: Data, options?: RequestManyOptions): Promise<Message[]>;
    /**
     * Requests, one after another, in Go: in a sweep each is an operation `request`, and in a step
     * of an open loop one of the schedule. Those that fail are counted, and throw nothing; the
     * answers are not kept. On Linux clients take turns in
     * the order in which their answers came, but in an open loop. The connection is that of runs:
     * see {@link Client}.
     */
    requestBatch(subject: string, data?: Data, options?: RequestBatchOptions): BatchResult;
    /**
     * Subscribes. With a callback, messages go there, on k6's event loop, when the function of the
     * iteration does nothing else; the iteration lasts until the subscription is closed (`close`,
     * or `max` messages), and the log says so once when none has come for 5 s. Without a callback
     * they are asked for (`next`, `fetch`).
     */
    subscribe(subject: string, callback: (message: Message) => void, options?: SubscribeOptions): Subscription;
    subscribe(subject: string, options?: SubscribeOptions): Subscription;
    subscribe(subject: string, callback: null | undefined, options?: SubscribeOptions): Subscription;
    /**
     * Answers requests in Go, with the data or, where it is null, with the request's own; until it
     * is closed, or the connection is.
     */
    respond(subject: string, data?: Data, options?: SubscribeOptions): Responder;

    /** JetStream, as this client sees it. Does not connect. */
    jetStream(options?: JetStreamOptions): JetStream;

    /** A database of key-value buckets as a published library keeps it. Does not connect. */
    layout(options: LayoutOptions): Layout;
    /**
     * A row of the published benchmark of these layouts, by its name in {@link natsjsRows}. Does
     * not connect.
     */
    natsjsRow(name: string, options?: NatsjsRowOptions): NatsjsRow;
  }

  /** A client under the names that ydarias/xk6-nats has, for scripts that were written for it. */
  export class Nats extends Client {
    /**
     * Does not connect. `servers` are urls, and `unsafe` takes any certificate where the server
     * wants TLS.
     */
    constructor(options?: ClientOptions & { servers?: string[]; unsafe?: boolean });
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions & { unsafe?: boolean });

    /** As ydarias/xk6-nats has it: publish. */
    publishWithHeaders(subject: string, data: Data, headers?: Headers): void;
    /** As ydarias/xk6-nats has it: publish. */
    publishMsg(message: { topic: string; data?: Data; raw?: Data | number[]; headers?: Headers }): void;
    /** As ydarias/xk6-nats has it: {@link JetStream.ensureStream}. */
    jetStreamSetup(configuration: StreamConfiguration | { [name: string]: any }): void;
    /** As ydarias/xk6-nats has it: {@link JetStream.publish}. */
    jetStreamPublish(subject: string, data?: Data): Acknowledgement;
    /** As ydarias/xk6-nats has it: {@link JetStream.publish}. */
    jetStreamPublishWithHeaders(subject: string, data: Data, headers?: Headers): Acknowledgement;
    /** As ydarias/xk6-nats has it: {@link JetStream.publish}. */
    jetStreamPublishMsg(message: { topic: string; data?: Data; raw?: Data | number[]; headers?: Headers }): Acknowledgement;
    /** As ydarias/xk6-nats has it: an ordered consumer of the stream that has the subject. */
    jetStreamSubscribe(subject: string, callback: (message: StreamMessage) => void): Feed<StreamMessage>;
  }

  /** Options of jetStream. */
  export interface JetStreamOptions {
    domain?: string;
    apiPrefix?: string;
    /**
     * How many messages of publishNoWait and publishBatch may wait for their acknowledgement.
     * Default 4000.
     */
    maxPending?: number;
  }

  /** Where the copies of a stream are to be. */
  export interface Placement {
    cluster?: string;
    tags?: string[];
  }

  /**
   * Messages of one subject under another one; `src` and `dest` are subjects, with wildcards and
   * `$1`, as the server has them.
   */
  export interface SubjectTransform {
    src: string;
    dest: string;
  }

  /** Messages that are stored are published again. */
  export interface Republish {
    src?: string;
    dest: string;
    headersOnly?: boolean;
  }

  /** A stream that another one copies. */
  export interface StreamSource {
    name: string;
    /** Where to begin: a sequence or a time. */
    optStartSeq?: Unsigned;
    optStartTime?: string | Date;
    filterSubject?: string;
    subjectTransforms?: SubjectTransform[];
    /** The stream is in another account or domain. */
    external?: { api: string; deliver?: string };
    consumer?: { name?: string; deliverSubject?: string };
  }

  /**
   * The configuration of a stream, with the names of JetStream's API in camel case. What the server
   * says of it (`StreamInfo.config`) has its times as strings, 0 for none, and can be given back.
   * Names as the API has them (`max_msgs_per_subject`) are taken as well, with times in
   * nanoseconds.
   */
  export interface StreamConfiguration {
    name: string;
    description?: string;
    /** Default: the stream's name. */
    subjects?: string[];
    /** Default `limits`: messages stay until a limit is reached. */
    retention?: 'limits' | 'interest' | 'workqueue';
    /** -1 for no limit, as of all limits. */
    maxConsumers?: number;
    maxMsgs?: number;
    maxBytes?: number;
    /** What goes where a limit is reached. Default `old`. */
    discard?: 'old' | 'new';
    discardNewPerSubject?: boolean;
    /** How long a message stays. Default 0: for ever. */
    maxAge?: Duration;
    maxMsgsPerSubject?: number;
    maxMsgSize?: number;
    /** Default `file`. */
    storage?: 'file' | 'memory';
    /** Default 1. */
    numReplicas?: number;
    /** Nothing is acknowledged to publishers. */
    noAck?: boolean;
    /** How long the stream looks for messages with the same msgID. Default: 2 minutes. */
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
    /** Of consumers that do not say it themselves. */
    consumerLimits?: { inactiveThreshold?: Duration; maxAckPending?: number };
    metadata?: { [name: string]: string };
    templateOwner?: string;
    /** Messages may have a `ttl`. */
    allowMsgTtl?: boolean;
    /** How long the mark stays that tells of a message which has outlived its `ttl`. */
    subjectDeleteMarkerTtl?: Duration;
    allowMsgCounter?: boolean;
    allowAtomic?: boolean;
    allowMsgSchedules?: boolean;
    persistMode?: 'default' | 'async';
    allowBatched?: boolean;
  }

  /** The configuration of a consumer, as {@link StreamConfiguration}. */
  export interface ConsumerConfiguration {
    name?: string;
    /** A consumer with a durable name stays when nobody uses it. */
    durableName?: string;
    description?: string;
    /** Where to begin. Default `all`. */
    deliverPolicy?: 'all' | 'last' | 'new' | 'by_start_sequence' | 'by_start_time' | 'last_per_subject';
    optStartSeq?: Unsigned;
    optStartTime?: string | Date;
    /** Default `explicit`: each message by itself. */
    ackPolicy?: 'none' | 'all' | 'explicit' | 'flow_control';
    /**
     * How long the server waits for an acknowledgement before it delivers a message again. Default:
     * 30 seconds.
     */
    ackWait?: Duration;
    /** How often a message is delivered at most. Default -1: no limit. */
    maxDeliver?: number;
    /** Times in the place of ackWait, one for each delivery. */
    backoff?: Duration[];
    filterSubject?: string;
    filterSubjects?: string[];
    /** Default `instant`. */
    replayPolicy?: 'instant' | 'original';
    rateLimitBps?: number;
    sampleFreq?: string;
    maxWaiting?: number;
    /** How many messages may wait for their acknowledgement. Default 1000. */
    maxAckPending?: number;
    headersOnly?: boolean;
    maxBatch?: number;
    maxExpires?: Duration;
    maxBytes?: number;
    /** How long nobody may use it before it is removed. */
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

  /** The configuration of a key-value bucket, as {@link StreamConfiguration}. */
  export interface KeyValueConfiguration {
    bucket: string;
    description?: string;
    maxValueSize?: number;
    /** How many values of a key are kept, 64 at most. Default 1. */
    history?: number;
    /** How long a value lives: a string with its unit, such as `'10m'`. Default 0: for ever. */
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
    /**
     * Keys may have a `ttl` of their own; how long the mark stays that tells of one which has
     * outlived it.
     */
    limitMarkerTtl?: Duration;
    metadata?: { [name: string]: string };
  }

  /** The configuration of an object store, as {@link StreamConfiguration}. */
  export interface ObjectStoreConfiguration {
    bucket: string;
    description?: string;
    /** How long an object stays. Default 0: for ever. */
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
   * The servers that have a stream or a consumer. Times that are no configuration's are
   * milliseconds.
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

  /** A server of a cluster; `active` is how long ago it was heard of. */
  export interface PeerInfo {
    readonly name: string;
    readonly current: boolean;
    readonly offline?: boolean;
    readonly active: number;
    readonly lag?: Unsigned;
    readonly peer: string;
    readonly pending?: boolean;
  }

  /** Where a stream is moving to. */
  export interface DesiredClusterInfo {
    readonly created: string;
    readonly name?: string;
    readonly replicas?: readonly { readonly name: string; readonly offline?: boolean; readonly peer: string }[];
    readonly origin?: { readonly replicas: number; readonly placement?: Placement; readonly retention?: string };
    readonly status?: { readonly description: string; readonly type: string; readonly err?: string };
  }

  /**
   * What the server has of a stream that another one copies; `active` is how long ago it was heard
   * of.
   */
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

  /** What is in a stream. */
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

  /** What the server has of a stream. Moments are strings such as `2026-01-31T12:00:00.5Z`. */
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

  /** How far a consumer has come, in its own count and in the stream's. */
  export interface SequenceInfo {
    readonly consumerSeq: Unsigned;
    readonly streamSeq: Unsigned;
    readonly lastActive?: string;
  }

  /** What the server has of a consumer; `pauseRemaining` is in milliseconds. */
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

  /** What JetStream holds, in bytes and numbers. */
  export interface AccountUsage {
    readonly memory: Unsigned;
    readonly storage: Unsigned;
    readonly reservedMemory: Unsigned;
    readonly reservedStorage: Unsigned;
    readonly streams: number;
    readonly consumers: number;
    /** -1 for no limit. */
    readonly limits: {
      readonly maxMemory: number;
      readonly maxStorage: number;
      readonly maxStreams: number;
      readonly maxConsumers: number;
      readonly maxAckPending: number;
      readonly memoryMaxStreamBytes: number;
      readonly storageMaxStreamBytes: number;
      readonly maxBytesRequired: boolean;
    };
  }

  /** What JetStream holds for an account, and its limits. */
  export interface AccountInfo extends AccountUsage {
    readonly domain: string;
    readonly api: { readonly level: number; readonly total: Unsigned; readonly errors: Unsigned; readonly inflight?: Unsigned };
    /** By the number of copies, `R1` and `R3`; null where the account has no tiers. */
    readonly tiers: { readonly [name: string]: AccountUsage } | null;
  }

  /** What the server has of a key-value bucket. */
  export interface KeyValueInfo {
    readonly bucket: string;
    /** How many values there are, old ones and marks included. */
    readonly values: Unsigned;
    readonly bytes: Unsigned;
    readonly history: number;
    readonly ttl: string | 0;
    readonly backingStore: string;
    readonly compressed: boolean;
    readonly config: KeyValueConfiguration;
  }

  /** What the server has of an object store. */
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

  /** What a stream says of a message that it has stored. */
  export interface Acknowledgement {
    stream: string;
    sequence: Unsigned;
    /** A message with the same msgID is there already. */
    duplicate: boolean;
    domain: string;
  }

  /** Options of a publication to a stream. */
  export interface StreamPublishOptions extends CallOptions {
    headers?: Headers;
    /** Default: the client's. */
    timeout?: Duration;
    /** Of two messages with the same id the stream keeps the first. */
    msgID?: string;
    /** What must be so, or the message is not stored. */
    expectStream?: string;
    expectLastMsgID?: string;
    expectLastSequence?: Unsigned;
    expectLastSequenceForSubject?: Unsigned;
    /**
     * How long the message stays, in whole seconds (a part of one is one more), in a stream with
     * `allowMsgTtl`. Default 0: as the stream has it.
     */
    ttl?: TTL;
    /** Of publishBatch: how many times over the data is published. */
    iterations?: number;
  }

  /** A message as it lies in a stream. */
  export interface StoredMessage {
    readonly subject: string;
    readonly data: string;
    readonly raw: ArrayBuffer;
    readonly headers: { readonly [name: string]: string };
    readonly sequence: Unsigned;
    readonly timestamp: Date;
  }

  /** Options of purgeStream. */
  export interface PurgeOptions extends CallOptions {
    subject?: string;
    keep?: number;
    sequence?: Unsigned;
  }

  /** JetStream, as a client sees it. */
  export interface JetStream {
    /**
     * Publishes a message to the stream that takes its subject, and waits for the acknowledgement.
     */
    publish(subject: string, data?: Data, options?: StreamPublishOptions): Acknowledgement;
    /** {@link JetStream.publish} as a promise. */
    asyncPublish(subject: string, data?: Data, options?: StreamPublishOptions): Promise<Acknowledgement>;
    /**
     * Publishes a message, and waits for no acknowledgement unless maxPending are missing already:
     * see complete.
     */
    publishNoWait(subject: string, data?: Data, options?: StreamPublishOptions): void;
    /**
     * Waits for all acknowledgements that are missing.
     *
     * @returns how many messages were stored since it was last called
     * @throws when one was not; the message says how many
     */
    complete(timeout?: Duration, options?: CallOptions): number;
    /** {@link JetStream.complete} as a promise. */
    asyncComplete(timeout?: Duration, options?: CallOptions): Promise<number>;
    /**
     * Publishes many messages in one call, in Go, as {@link Client.publishBatch}; then waits, and
     * throws, as complete.
     */
    publishBatch(subject: string, data: Data | readonly Data[], options?: StreamPublishOptions): BatchResult;
    /** {@link JetStream.publishBatch} as a promise. */
    asyncPublishBatch(subject: string, data: Data | readonly Data[], options?: StreamPublishOptions): Promise<BatchResult>;

    /** A new stream; an error of kind `conflict` if there is one that is different. */
    createStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.createStream} as a promise. */
    asyncCreateStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /** Changes a stream; an error of kind `not_found` if there is none. */
    updateStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.updateStream} as a promise. */
    asyncUpdateStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /** Creates or updates. */
    ensureStream(configuration: StreamConfiguration, options?: CallOptions): StreamInfo;
    /** {@link JetStream.ensureStream} as a promise. */
    asyncEnsureStream(configuration: StreamConfiguration, options?: CallOptions): Promise<StreamInfo>;
    /**
     * The server's facts of a stream: its configuration and its state. An error of kind `not_found`
     * if there is none.
     */
    streamInfo(name: string, options?: CallOptions): StreamInfo;
    /** {@link JetStream.streamInfo} as a promise. */
    asyncStreamInfo(name: string, options?: CallOptions): Promise<StreamInfo>;
    /** Removes a stream with its messages; an error of kind `not_found` if there is none. */
    deleteStream(name: string, options?: CallOptions): void;
    /** {@link JetStream.deleteStream} as a promise. */
    asyncDeleteStream(name: string, options?: CallOptions): Promise<void>;
    /**
     * Removes messages: all, those of a subject, all but the last `keep`, or those before
     * `sequence`.
     */
    purgeStream(name: string, options?: PurgeOptions): void;
    /** {@link JetStream.purgeStream} as a promise. */
    asyncPurgeStream(name: string, options?: PurgeOptions): Promise<void>;
    /** The names of all streams, or of those that take a subject. */
    streams(subject?: string, options?: CallOptions): string[];
    /** {@link JetStream.streams} as a promise. */
    asyncStreams(subject?: string, options?: CallOptions): Promise<string[]>;
    /** The message at a place of the stream, or the last of a subject; null if there is none. */
    getMessage(stream: string, place: Unsigned | string, options?: CallOptions): StoredMessage | null;
    /** {@link JetStream.getMessage} as a promise. */
    asyncGetMessage(stream: string, place: Unsigned | string, options?: CallOptions): Promise<StoredMessage | null>;
    /** Removes one message; an error of kind `not_found` if there is none. */
    deleteMessage(stream: string, sequence: Unsigned, options?: CallOptions): void;
    /** {@link JetStream.deleteMessage} as a promise. */
    asyncDeleteMessage(stream: string, sequence: Unsigned, options?: CallOptions): Promise<void>;
    /** What JetStream holds for this account, and its limits. */
    info(options?: CallOptions): AccountInfo;
    /** {@link JetStream.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<AccountInfo>;

    /** A consumer that is there. Asks the server nothing yet. */
    consumer(stream: string, name: string): Consumer;
    /**
     * Each message once, in the stream's order, without acknowledgements. It is made by its first
     * use.
     */
    orderedConsumer(stream: string, configuration?: OrderedConsumerConfiguration): Consumer;
    /** A new consumer; an error of kind `conflict` if there is one that is different. */
    createConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.createConsumer} as a promise. */
    asyncCreateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Changes a consumer; an error of kind `not_found` if there is none. */
    updateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.updateConsumer} as a promise. */
    asyncUpdateConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Creates or updates. */
    ensureConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Consumer;
    /** {@link JetStream.ensureConsumer} as a promise. */
    asyncEnsureConsumer(stream: string, configuration: ConsumerConfiguration, options?: CallOptions): Promise<Consumer>;
    /** Removes a consumer; an error of kind `not_found` if there is none. */
    deleteConsumer(stream: string, name: string, options?: CallOptions): void;
    /** {@link JetStream.deleteConsumer} as a promise. */
    asyncDeleteConsumer(stream: string, name: string, options?: CallOptions): Promise<void>;
    /** The names of a stream's consumers. */
    consumers(stream: string, options?: CallOptions): string[];
    /** {@link JetStream.consumers} as a promise. */
    asyncConsumers(stream: string, options?: CallOptions): Promise<string[]>;

    /** A bucket that is there. Asks the server nothing yet. */
    keyValue(bucket: string): KeyValue;
    /** A new bucket; an error of kind `conflict` if there is one that is different. */
    createKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.createKeyValue} as a promise. */
    asyncCreateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Changes a bucket; an error of kind `not_found` if there is none. */
    updateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.updateKeyValue} as a promise. */
    asyncUpdateKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Creates or updates. */
    ensureKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): KeyValue;
    /** {@link JetStream.ensureKeyValue} as a promise. */
    asyncEnsureKeyValue(configuration: KeyValueConfiguration, options?: CallOptions): Promise<KeyValue>;
    /** Removes a bucket with its values; an error of kind `not_found` if there is none. */
    deleteKeyValue(bucket: string, options?: CallOptions): void;
    /** {@link JetStream.deleteKeyValue} as a promise. */
    asyncDeleteKeyValue(bucket: string, options?: CallOptions): Promise<void>;
    /** The names of all buckets. */
    keyValues(options?: CallOptions): string[];
    /** {@link JetStream.keyValues} as a promise. */
    asyncKeyValues(options?: CallOptions): Promise<string[]>;

    /** A bucket that is there. Asks the server nothing yet. */
    objectStore(bucket: string): ObjectStore;
    /** A new object store; an error of kind `conflict` if there is one that is different. */
    createObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.createObjectStore} as a promise. */
    asyncCreateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /** Changes an object store; an error of kind `not_found` if there is none. */
    updateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.updateObjectStore} as a promise. */
    asyncUpdateObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /** Creates or updates. */
    ensureObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): ObjectStore;
    /** {@link JetStream.ensureObjectStore} as a promise. */
    asyncEnsureObjectStore(configuration: ObjectStoreConfiguration, options?: CallOptions): Promise<ObjectStore>;
    /** Removes an object store with its objects; an error of kind `not_found` if there is none. */
    deleteObjectStore(bucket: string, options?: CallOptions): void;
    /** {@link JetStream.deleteObjectStore} as a promise. */
    asyncDeleteObjectStore(bucket: string, options?: CallOptions): Promise<void>;
    /** The names of all buckets. */
    objectStores(options?: CallOptions): string[];
    /** {@link JetStream.objectStores} as a promise. */
    asyncObjectStores(options?: CallOptions): Promise<string[]>;
  }

  /** Options of consume. */
  export interface ConsumeOptions extends CallOptions {
    /** Messages that are asked for ahead of the script. Default 500. */
    maxMessages?: number;
  }

  /** A consumer of a stream. */
  export interface Consumer {
    /** The server's facts of the consumer: its configuration and its state. */
    info(options?: CallOptions): ConsumerInfo;
    /** {@link Consumer.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<ConsumerInfo>;
    /** The next message; null when none has come within timeout (default: the client's). */
    next(timeout?: Duration, options?: CallOptions): StreamMessage | null;
    /** {@link Consumer.next} as a promise. */
    asyncNext(timeout?: Duration, options?: CallOptions): Promise<StreamMessage | null>;
    /** Up to n messages: those that have come when there are n, or the time is over. */
    fetch(n: number, options: FetchOptions & { discard: true }): number;
    fetch(n: number, options?: FetchOptions): StreamMessage[];
    /** {@link Consumer.fetch} as a promise. */
    asyncFetch(n: number, options: FetchOptions & { discard: true }): Promise<number>;
    asyncFetch(n: number, options?: FetchOptions): Promise<StreamMessage[]>;
    /** Messages come by themselves, up to maxMessages (default 500) ahead of the script. */
    consume(callback: (message: StreamMessage) => void, options?: ConsumeOptions): Feed<StreamMessage>;
    consume(callback?: null, options?: ConsumeOptions): Feed<StreamMessage>;
  }

  /** A value of a bucket. */
  export interface Entry {
    readonly bucket: string;
    readonly key: string;
    /** As UTF-8 (any other bytes become U+FFFD). */
    readonly value: string;
    /** As it is. */
    readonly raw: ArrayBuffer;
    readonly revision: Unsigned;
    readonly created: Date;
    readonly operation: 'put' | 'delete' | 'purge';
    /** How many more entries were there when this one was sent. */
    readonly delta: number;
  }

  /** Options of watch. */
  export interface WatchOptions extends CallOptions {
    /** With all that the bucket still knows of each key. */
    history?: boolean;
    /** Without what is there already. */
    updatesOnly?: boolean;
    ignoreDeletes?: boolean;
    /** Without the values. */
    metaOnly?: boolean;
    /** The revision to begin with. */
    resume?: number;
  }

  /** Options of create. */
  export interface CreateOptions extends CallOptions {
    /**
     * How long the value lives, in whole seconds (a part of one is one more), in a bucket with
     * `limitMarkerTtl`. Default 0: as the bucket has it.
     */
    ttl?: TTL;
  }

  /** A key-value bucket. A key that is not there is no failure: what asks for it gets null. */
  export interface KeyValue {
    readonly bucket: string;
    /** The value of a key; null if there is none. */
    get(key: string, options?: CallOptions): Entry | null;
    /** {@link KeyValue.get} as a promise. */
    asyncGet(key: string, options?: CallOptions): Promise<Entry | null>;
    /** The value that a key had with this revision; null if there is none. */
    getRevision(key: string, revision: Unsigned, options?: CallOptions): Entry | null;
    /** {@link KeyValue.getRevision} as a promise. */
    asyncGetRevision(key: string, revision: Unsigned, options?: CallOptions): Promise<Entry | null>;
    /** Stores the value, and returns its revision. */
    put(key: string, value?: Data, options?: CallOptions): Unsigned;
    /** {@link KeyValue.put} as a promise. */
    asyncPut(key: string, value?: Data, options?: CallOptions): Promise<Unsigned>;
    /** Stores the value if the key is not there; otherwise an error of kind `conflict`. */
    create(key: string, value?: Data, options?: CreateOptions): Unsigned;
    /** {@link KeyValue.create} as a promise. */
    asyncCreate(key: string, value?: Data, options?: CreateOptions): Promise<Unsigned>;
    /**
     * Stores the value if the key's revision is this one; otherwise an error of kind
     * `wrong_sequence`. The value has no `ttl` of its own, also where the earlier one had.
     */
    update(key: string, value: Data, revision: Unsigned, options?: CallOptions): Unsigned;
    /** {@link KeyValue.update} as a promise. */
    asyncUpdate(key: string, value: Data, revision: Unsigned, options?: CallOptions): Promise<Unsigned>;
    /** Puts a mark on top of the key's values; with a revision, only if that is the key's. */
    delete(key: string, revision?: Unsigned, options?: CallOptions): void;
    /** {@link KeyValue.delete} as a promise. */
    asyncDelete(key: string, revision?: Unsigned, options?: CallOptions): Promise<void>;
    /**
     * As delete, and removes all values of the key. With a `ttl` the mark ends by itself, in a
     * bucket with `limitMarkerTtl`.
     */
    purge(key: string, revision?: Unsigned | { revision?: Unsigned; ttl?: TTL }, options?: CallOptions): void;
    /** {@link KeyValue.purge} as a promise. */
    asyncPurge(key: string, revision?: Unsigned | { revision?: Unsigned; ttl?: TTL }, options?: CallOptions): Promise<void>;
    /**
     * Removes the marks of keys that were deleted longer ago than that (default 30 minutes; 0 for
     * all).
     */
    purgeDeletes(olderThan?: Duration, options?: CallOptions): void;
    /** {@link KeyValue.purgeDeletes} as a promise. */
    asyncPurgeDeletes(olderThan?: Duration, options?: CallOptions): Promise<void>;
    /** The keys that are there; with filters such as `a.*` those that match. */
    keys(filters?: string | readonly string[], options?: CallOptions): string[];
    /** {@link KeyValue.keys} as a promise. */
    asyncKeys(filters?: string | readonly string[], options?: CallOptions): Promise<string[]>;
    /** All that the bucket still knows of the key, the oldest first. */
    history(key: string, options?: CallOptions): Entry[];
    /** {@link KeyValue.history} as a promise. */
    asyncHistory(key: string, options?: CallOptions): Promise<Entry[]>;
    /** The server's facts of the bucket. */
    info(options?: CallOptions): KeyValueInfo;
    /** {@link KeyValue.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<KeyValueInfo>;
    /** What is there, and then what changes. */
    watch(filters: string | readonly string[] | null | undefined, callback: (entry: Entry) => void, options?: WatchOptions): Feed<Entry>;
    watch(filters?: string | readonly string[] | null, options?: WatchOptions): Feed<Entry>;
  }

  /** How an object is stored. */
  export interface ObjectDescription {
    name: string;
    description?: string;
    headers?: Headers;
    metadata?: { [name: string]: string };
    /** Bytes of a message. Default 131072. */
    chunkSize?: number;
  }

  /** What the server has of an object. */
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

  /** An object store. An object that is not there is no failure: what asks for it gets null. */
  export interface ObjectStore {
    readonly bucket: string;
    /**
     * Stores an object in the place of the one of its name, and returns what the server has of it.
     */
    put(object: string | ObjectDescription, data?: Data, options?: CallOptions): ObjectInfo;
    /** {@link ObjectStore.put} as a promise. */
    asyncPut(object: string | ObjectDescription, data?: Data, options?: CallOptions): Promise<ObjectInfo>;
    /** An object with its data; null if there is none. */
    get(name: string, options?: CallOptions): StoredObject | null;
    /** {@link ObjectStore.get} as a promise. */
    asyncGet(name: string, options?: CallOptions): Promise<StoredObject | null>;
    /** An object without its data; null if there is none. */
    stat(name: string, options?: CallOptions): ObjectInfo | null;
    /** {@link ObjectStore.stat} as a promise. */
    asyncStat(name: string, options?: CallOptions): Promise<ObjectInfo | null>;
    /** Removes an object. */
    delete(name: string, options?: CallOptions): void;
    /** {@link ObjectStore.delete} as a promise. */
    asyncDelete(name: string, options?: CallOptions): Promise<void>;
    /** All objects, without their data. */
    list(options?: CallOptions): ObjectInfo[];
    /** {@link ObjectStore.list} as a promise. */
    asyncList(options?: CallOptions): Promise<ObjectInfo[]>;
    /** The server's facts of the object store. */
    info(options?: CallOptions): ObjectStoreInfo;
    /** {@link ObjectStore.info} as a promise. */
    asyncInfo(options?: CallOptions): Promise<ObjectStoreInfo>;
  }

  /** Options of layout. */
  export interface LayoutOptions {
    /**
     * `orb`: go-orb's natsjs store; `orb-compat`: the same in its mode that is compatible with
     * go-micro, in which the tables of one database share their keys, a bug of go-orb's; `micro`:
     * go-micro's nats-js-kv store with its option EncodeKeys.
     */
    layout: 'orb' | 'orb-compat' | 'micro';
    /** Default `"default"`. */
    database?: string;
    /** Of the buckets that are made. Default 1. */
    replicas?: number;
  }

  /** A record of a layout. */
  export interface LayoutRecord {
    readonly table: string;
    readonly key: string;
    /** As UTF-8 (any other bytes become U+FFFD). */
    readonly value: string;
    /** As it is. */
    readonly raw: ArrayBuffer;
    /** Of `micro`, if it has any. */
    readonly metadata: { readonly [name: string]: any } | null;
  }

  /** Which of the database's tables. */
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

  /** A database in a published layout. Buckets are made when they are needed. */
  export interface Layout {
    /** Writes a record over any that is there. Only `micro` keeps metadata. */
    put(key: string, value?: Data, options?: RecordOptions): void;
    /** {@link Layout.put} as a promise. */
    asyncPut(key: string, value?: Data, options?: RecordOptions): Promise<void>;
    /** The record; null if there is none. */
    get(key: string, options?: TableOptions): LayoutRecord | null;
    /** {@link Layout.get} as a promise. */
    asyncGet(key: string, options?: TableOptions): Promise<LayoutRecord | null>;
    /** It is no error when there is no such record. */
    delete(key: string, options?: TableOptions): void;
    /** {@link Layout.delete} as a promise. */
    asyncDelete(key: string, options?: TableOptions): Promise<void>;
    /**
     * Keys. As in the libraries, all keys of the bucket cross the network; `orb` and `orb-compat`
     * cut out the page before they look at prefix and suffix, and an empty bucket is an error of
     * kind `not_found` to them.
     */
    list(options?: ListOptions): string[];
    /** {@link Layout.list} as a promise. */
    asyncList(options?: ListOptions): Promise<string[]>;
    /** Deletes the database with all its records. */
    drop(options?: CallOptions): void;
    /** {@link Layout.drop} as a promise. */
    asyncDrop(options?: CallOptions): Promise<void>;
    /**
     * Does a workload's operations on records without a table, in Go: get, set (which is put),
     * delete and getOrSet. There is no time to live, and no pipeline. On Linux clients take turns
     * in the order in which their answers came, but in an open loop. The connection is that of
     * runs: see {@link Client}. A bucket that allows no direct gets, or mirrors another one, is
     * used over the client's other connection, without turns.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /**
     * Writes all keys of a workload, each client its share, once: see `prefill` of k6/x/memcached.
     */
    prefill(workload: XK6SweepCaches.Workload): XK6SweepCaches.Prefilled;
  }

  /**
   * A row of the published benchmark of go-orb's and go-micro's stores (go-orb/plugins,
   * kvstore/natsjs_micro_tests).
   */
  export interface NatsjsRowDescription {
    /** That of the Go benchmark, without Benchmark. */
    readonly name: string;
    /** Names the rows that are compared. */
    readonly pair: string;
    readonly layout: 'orb' | 'orb-compat' | 'micro';
    /** What an iteration does. */
    readonly loop: string;
    /** What is in the database before. */
    readonly fill: string;
    /** Values are 1 MiB. */
    readonly large: boolean;
    readonly limit: number;
    readonly offset: number;
    /** What the authors got, for an operation; null for rows that are not theirs. */
    readonly published: {
      readonly iterations: number;
      readonly nanoseconds: number;
      readonly bytes: number;
      readonly allocations: number;
    } | null;
  }

  /** Options of natsjsRow. */
  export interface NatsjsRowOptions {
    /** Holds the row's records, and must hold no others. Default `"default"`. */
    database?: string;
    /** Of the rows that list. Default 100 tables of 1000 keys. */
    tables?: number;
    keys?: number;
    replicas?: number;
  }

  /** How much a run does: either of them. */
  export interface NatsjsRowRun extends CallOptions {
    iterations?: number;
    duration?: Duration;
  }

  /** What a run came to; its bytes are those of values. */
  export interface NatsjsRowResult extends BatchResult {
    /** Keys that lists have returned. */
    readonly keys: number;
    /** Bytes on the connection. */
    readonly dataSent: Unsigned;
    readonly dataReceived: Unsigned;
  }

  /** A row of the published benchmark, with a client's connection. */
  export interface NatsjsRow {
    /** Writes what the row needs before its first iteration. */
    fill(timeout?: Duration, options?: CallOptions): void;
    /** {@link NatsjsRow.fill} as a promise. */
    asyncFill(timeout?: Duration, options?: CallOptions): Promise<void>;
    /**
     * Does iterations, in Go, each an operation of the step under the row's name, and checks what
     * they read. Those that fail are counted, and throw nothing.
     */
    run(options: NatsjsRowRun): NatsjsRowResult;
    /** Deletes the row's database. */
    drop(timeout?: Duration, options?: CallOptions): void;
    /** {@link NatsjsRow.drop} as a promise. */
    asyncDrop(timeout?: Duration, options?: CallOptions): Promise<void>;
  }

  /**
   * The 18 published rows in their order, the two that make its lists comparable, and go-orb's in
   * its compatible mode.
   */
  export const natsjsRows: readonly NatsjsRowDescription[];

  const nats: { Client: typeof Client; Nats: typeof Nats; natsjsRows: typeof natsjsRows };
  export default nats;
}

/// <reference path="../internal/workload/index.d.ts" />
/// <reference path="../internal/k6x/index.d.ts" />
/**
 * k6/x/memcached is a client of memcached that speaks its text or its meta protocol.
 *
 * A call blocks its VU until it is done, and throws a {@link MemcachedError} if it fails. Single
 * commands, connect and close also have a form that returns a promise, such as asyncGet for get; a
 * client runs them one after another. A missing key is not an error.
 *
 * Metrics, with the tags `op` (connect, or the method's name; metaGet and so on for those of
 * `meta`) and `outcome` (ok, or the error's kind):
 * - `memcached_ops` (Counter): operations; each command of a pipeline counts.
 * - `memcached_op_duration` (Trend in milliseconds): durations of calls, including the wait for a
 *   connection of a shared pool. Connecting counts as its own operation. The executor client-sweep
 *   measures durations itself and does not send this metric.
 * - `memcached_hits` and `memcached_misses` (Counters): requested keys that were found or not
 *   found.
 * - k6's own `data_sent` and `data_received`.
 *
 * `memcached_failed` (Rate, with the tag `op`) is the share of failed operations, like
 * `http_req_failed` for requests. A threshold: `memcached_failed: ['rate<0.01']`.
 */
declare module 'k6/x/memcached' {
  /** Bytes. Of a typed array or DataView, the part of the buffer that it shows. */
  export type Binary = ArrayBuffer | ArrayBufferView;

  /**
   * 1 to 250 bytes, including the prefix, without spaces and control characters. The meta protocol
   * accepts any bytes, then up to 186.
   */
  export type Key = string | Binary;

  /** A string is stored as UTF-8. */
  export type Value = string | Binary;

  /** A number of up to 64 bits. Numbers above 2^53 - 1 are BigInts. */
  export type Unsigned = number | bigint;

  /**
   * The form of returned values: a string decoded from UTF-8 (invalid bytes become U+FFFD), or the
   * bytes. Default: the client's `values`.
   */
  export interface As<F extends 'string' | 'binary' = 'string' | 'binary'> extends Tagged {
    as?: F;
  }

  /** Options of every call. */
  export interface Tagged {
    /** Tags of the call's metrics. */
    tags?: XK6Sweep.Tags;
  }

  /** How to reach the servers, and how to use them. Times must be positive. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * `"text"` (default) or `"meta"`. The meta protocol numbers its requests, so the client detects
     * an answer to another request.
     */
    protocol?: 'text' | 'meta';
    /**
     * For a server that was started with --auth-file. The user must not contain a space. Errors
     * never show user and password.
     */
    user?: string;
    password?: string;
    /** Default: none. */
    tls?: boolean | XK6Sweep.TLSOptions;
    /** Maximum length of a value in bytes, sent or received. Default, and for 0: 1 GiB. */
    maxValue?: number;
    /**
     * How keys are spread over several servers. `"ketama"` (default): like libmemcached with
     * KETAMA_WEIGHTED and equal weights. `"jump"`: jump consistent hash of the key's 64-bit FNV-1a
     * hash; servers can be added and removed only at the end of the list.
     */
    hashing?: 'ketama' | 'jump';
    /**
     * `"vu"` (default): each client has one connection to each server. `"shared"`: all VUs whose
     * clients have equal options share up to `poolSize` connections to each server; a call waits up
     * to `timeout` for a free one.
     */
    connection?: 'vu' | 'shared';
    /** Size of the shared pool. Default, and for 0: 16. */
    poolSize?: number;
    /** Prefix of all keys. */
    prefix?: string;
    /** The form of returned values if a call does not set it. Default `"string"`. */
    values?: 'string' | 'binary';
  }

  /** Options of calls that store a value. */
  export interface StoreOptions extends Tagged {
    /** Time until the value expires, rounded up to seconds. Default 0: never. */
    ttl?: XK6Sweep.TTL;
    /** 32 bits that are stored with the value; {@link Client.gets} returns them. Default 0. */
    flags?: number;
  }

  /** A value with its compare-and-swap number and its flags. */
  export interface ValueWithCAS<V> {
    value: V;
    cas: Unsigned;
    flags: number;
  }

  /** The answer to a meta command. */
  export interface MetaReply<V = string> {
    /** HD and VA are `ok`, EN and NF `not_found`, NS `not_stored`, EX `exists`. */
    status: 'ok' | 'not_found' | 'not_stored' | 'exists';
    /** null without the flag v. */
    value: V | null;
    /** The flags that the server returned: `{ t: '30', W: '' }`. */
    flags: { [flag: string]: string };
  }

  /**
   * The error of a failed call.
   *
   * | kind | |
   * |---|---|
   * | `connect` | a server could not be reached within connectTimeout |
   * | `connection` | the connection broke |
   * | `timeout` | no answer within timeout, or no free connection of a shared pool |
   * | `cancelled` | the test ended |
   * | `auth` | user and password are wrong, or missing |
   * | `too_large` | above maxValue, or the server's limit: then the server deletes the key |
   * | `full` | the server is out of memory and may not evict |
   * | `server` | any other error of the server |
   * | `invalid` | the server rejects the request, such as incr of a value that is not a number |
   * | `protocol` | the answer does not fit the request |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `internal` | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   *
   * After an error of kind `connection`, `timeout`, `cancelled`, `auth` or `protocol`, and after
   * others that leave unread bytes, the client closes the connection. The next operation opens a
   * new one. Failed operations are not retried.
   */
  export interface MemcachedError extends Error {
    name: 'MemcachedError';
    /** Always 0: memcached has no codes. */
    code: number;
    kind:
      | 'connect'
      | 'connection'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'too_large'
      | 'full'
      | 'server'
      | 'invalid'
      | 'protocol'
      | 'usage'
      | 'internal';
    /** In pipeline: the index of the first command that failed. */
    index?: number;
    /** In pipeline: the results of the commands, null for those that failed. */
    results?: any[];
  }

  /**
   * A command of a pipeline: the name of a method that takes a key, and the method's arguments. The
   * methods of `meta` are called metaGet and so on.
   */
  export type Command =
    | ['get' | 'gets', Key, As?]
    | ['gat' | 'gats', Key, XK6Sweep.TTL, As?]
    | ['touch', Key, XK6Sweep.TTL, Tagged?]
    | ['set' | 'add' | 'replace', Key, Value, (XK6Sweep.TTL | StoreOptions)?]
    | ['append' | 'prepend', Key, Value, Tagged?]
    | ['cas', Key, Value, Unsigned, (XK6Sweep.TTL | StoreOptions)?]
    | ['delete', Key, Tagged?]
    | ['incr' | 'decr', Key, (Unsigned | null)?, Tagged?]
    | ['metaGet' | 'metaDelete' | 'metaArithmetic', Key, (string | null)?, As?]
    | ['metaSet', Key, Value, (string | null)?, Tagged?];

  /**
   * A client of one or more servers. The first operation opens a connection; the next operation
   * after a failure opens a new one. The connections close at the end of setup or teardown, of the
   * client's step under client-sweep, or of the test. Create one client per VU in the init context,
   * and use it in functions.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port`, `host` (port 11211), the path of a unix socket, which starts with a
     *   slash or `unix://`, or `memcached://user:password@host:port?timeout=5s&connectTimeout=1s`.
     *   Several servers: an array, or separated by commas. `timeout` applies to each server of a
     *   call. Default `"127.0.0.1:11211"`.
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    readonly protocol: 'text' | 'meta';

    /**
     * Connects to all servers that are not connected yet. In a sweep, the clients connect one after
     * another, always in the same order.
     */
    connect(options?: Tagged): void;
    /** The form of `connect` that returns a promise. */
    asyncConnect(options?: Tagged): Promise<void>;
    /**
     * Closes the connections. A shared pool closes with its last client. The next operation opens
     * new connections.
     */
    close(): void;
    /** The form of `close` that returns a promise. */
    asyncClose(): Promise<void>;

    /** Returns the value, or null. */
    get(key: Key, options: As<'binary'>): ArrayBuffer | null;
    get(key: Key, options?: As<'string'>): string | null;
    /** The form of `get` that returns a promise. */
    asyncGet(key: Key, options: As<'binary'>): Promise<ArrayBuffer | null>;
    asyncGet(key: Key, options?: As<'string'>): Promise<string | null>;
    /** Returns the value with its CAS number and flags, or null. */
    gets(key: Key, options: As<'binary'>): ValueWithCAS<ArrayBuffer> | null;
    gets(key: Key, options?: As<'string'>): ValueWithCAS<string> | null;
    /** The form of `gets` that returns a promise. */
    asyncGets(key: Key, options: As<'binary'>): Promise<ValueWithCAS<ArrayBuffer> | null>;
    asyncGets(key: Key, options?: As<'string'>): Promise<ValueWithCAS<string> | null>;
    /** Like get, and sets the time until the value expires. */
    gat(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): ArrayBuffer | null;
    gat(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): string | null;
    /** The form of `gat` that returns a promise. */
    asyncGat(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): Promise<ArrayBuffer | null>;
    asyncGat(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): Promise<string | null>;
    /** Like gets, and sets the time until the value expires. */
    gats(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): ValueWithCAS<ArrayBuffer> | null;
    gats(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): ValueWithCAS<string> | null;
    /** The form of `gats` that returns a promise. */
    asyncGats(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): Promise<ValueWithCAS<ArrayBuffer> | null>;
    asyncGats(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): Promise<ValueWithCAS<string> | null>;
    /**
     * Returns an object of all keys and values, with null for missing keys. Sends one request per
     * server with the text protocol, a pipeline with meta.
     */
    getMulti(keys: readonly string[], options: As<'binary'>): { [key: string]: ArrayBuffer | null };
    getMulti(keys: readonly string[], options?: As<'string'>): { [key: string]: string | null };
    /** Sets the time until the value expires. Returns false if the key does not exist. */
    touch(key: Key, ttl: XK6Sweep.TTL, options?: Tagged): boolean;
    /** The form of `touch` that returns a promise. */
    asyncTouch(key: Key, ttl: XK6Sweep.TTL, options?: Tagged): Promise<boolean>;

    /** Stores the value. */
    set(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `set` that returns a promise. */
    asyncSet(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /** Stores the value if the key does not exist; else returns false. */
    add(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `add` that returns a promise. */
    asyncAdd(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /** Stores the value if the key exists; else returns false. */
    replace(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `replace` that returns a promise. */
    asyncReplace(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /**
     * Appends to the value, and keeps its expiry time and flags. Returns false if the key does not
     * exist.
     */
    append(key: Key, value: Value, options?: Tagged): boolean;
    /** The form of `append` that returns a promise. */
    asyncAppend(key: Key, value: Value, options?: Tagged): Promise<boolean>;
    /**
     * Prepends to the value, and keeps its expiry time and flags. Returns false if the key does not
     * exist.
     */
    prepend(key: Key, value: Value, options?: Tagged): boolean;
    /** The form of `prepend` that returns a promise. */
    asyncPrepend(key: Key, value: Value, options?: Tagged): Promise<boolean>;
    /** Stores the value if the key still has the CAS number `cas`. */
    cas(key: Key, value: Value, cas: Unsigned, options?: XK6Sweep.TTL | StoreOptions): 'stored' | 'exists' | 'not_found';
    /** The form of `cas` that returns a promise. */
    asyncCas(key: Key, value: Value, cas: Unsigned, options?: XK6Sweep.TTL | StoreOptions): Promise<'stored' | 'exists' | 'not_found'>;

    /** Removes the key. Returns false if it does not exist. */
    delete(key: Key, options?: Tagged): boolean;
    /** The form of `delete` that returns a promise. */
    asyncDelete(key: Key, options?: Tagged): Promise<boolean>;
    /**
     * Adds to a decimal number (default 1, wraps at 2^64) and returns the sum, or null if the key
     * does not exist.
     */
    incr(key: Key, delta?: Unsigned | null, options?: Tagged): Unsigned | null;
    /** The form of `incr` that returns a promise. */
    asyncIncr(key: Key, delta?: Unsigned | null, options?: Tagged): Promise<Unsigned | null>;
    /**
     * Subtracts from a decimal number (default 1, not below 0) and returns the difference, or null
     * if the key does not exist.
     */
    decr(key: Key, delta?: Unsigned | null, options?: Tagged): Unsigned | null;
    /** The form of `decr` that returns a promise. */
    asyncDecr(key: Key, delta?: Unsigned | null, options?: Tagged): Promise<Unsigned | null>;

    /**
     * Returns the value. If the key does not exist, stores and returns the given value, or the
     * function's result: a miss then counts as two operations, a get and a set.
     */
    getOrSet<V extends Value>(
      key: Key,
      ttl: XK6Sweep.TTL | StoreOptions,
      value: V | ((key: Key) => V),
      options?: As,
    ): V | string | ArrayBuffer;

    /**
     * Sends commands together, at most about 32 kB ahead of their answers, and returns an array of
     * what their methods would return.
     *
     * @throws the error of the first command that failed, with `index` and all `results`. The other
     *   commands were executed, unless the connection broke.
     */
    pipeline(commands: readonly Command[], options?: Tagged): any[];

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
     * Runs a workload's operations in Go. A getOrSet is a get and, on a miss, a set. On Linux,
     * clients with their own connections continue in the order in which their answers arrive. With
     * a shared pool, or on other systems, each client runs in its own goroutine, in any order.
     *
     * `commands` are commands of the meta protocol: `['mg', '{key}', 'v', 't']`, and ms, whose
     * value follows its key, `['ms', '{key}', '{value}', 'T60']`; md and ma. The types of replies
     * are their codes HD, VA, EN, NF, NS and EX; the text is the value of VA.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /**
     * Runs accesses of a pass of the published hit-rate benchmark in Go: a get and, on a miss, a
     * set.
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

    /** Empties all servers, now or after a delay. */
    flushAll(delay?: XK6Sweep.TTL | null, options?: Tagged): void;
    /**
     * Returns each server's statistics, by address: `stats('items')`; by default the general ones.
     * `cachedump` and `detail dump`, which list keys, are errors of kind `usage`.
     */
    stats(argument?: string | null, options?: Tagged): { [server: string]: { [name: string]: string } };
    /** Returns the version of the first server. */
    version(options?: Tagged): string;

    /**
     * The meta commands mg, ms, md, ma and mn, with any `protocol`. Flags are separated by one
     * space: `'v t f T30'`; memcached's doc/protocol.txt explains them. The client sets the flag b
     * for keys that need it, and does not allow q.
     */
    readonly meta: {
      /** mg: reads a key. */
      get(key: Key, flags: string | null | undefined, options: As<'binary'>): MetaReply<ArrayBuffer>;
      get(key: Key, flags?: string | null, options?: As<'string'>): MetaReply;
      /** The form of `get` that returns a promise. */
      asyncGet(key: Key, flags: string | null | undefined, options: As<'binary'>): Promise<MetaReply<ArrayBuffer>>;
      asyncGet(key: Key, flags?: string | null, options?: As<'string'>): Promise<MetaReply>;
      /** ms: stores a value. */
      set(key: Key, value: Value, flags?: string | null, options?: Tagged): MetaReply;
      /** The form of `set` that returns a promise. */
      asyncSet(key: Key, value: Value, flags?: string | null, options?: Tagged): Promise<MetaReply>;
      /** md: removes a key. */
      delete(key: Key, flags?: string | null, options?: As<'string'>): MetaReply;
      /** The form of `delete` that returns a promise. */
      asyncDelete(key: Key, flags?: string | null, options?: As<'string'>): Promise<MetaReply>;
      /** ma: adds to a number, or subtracts from it. */
      arithmetic(key: Key, flags?: string | null, options?: As<'string'>): MetaReply;
      /** The form of `arithmetic` that returns a promise. */
      asyncArithmetic(key: Key, flags?: string | null, options?: As<'string'>): Promise<MetaReply>;
      /** Sends one round trip to each server. */
      noop(options?: Tagged): void;
    };
  }

  const memcached: { Client: typeof Client };
  export default memcached;
}

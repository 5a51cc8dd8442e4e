/// <reference path="../internal/cachebench/index.d.ts" />
/// <reference path="../internal/k6mod/index.d.ts" />
/**
 * k6/x/memcached: a client of memcached over its text or its meta protocol.
 *
 * Every call blocks its VU until it is done, and throws a {@link MemcachedError} when it fails;
 * single commands, connect and close have a form with a promise besides (asyncGet beside get),
 * which are done one after another. A key that is not there is no failure. Metrics: `memcached_ops`
 * (Counter; of a pipeline each of its commands), `memcached_op_duration` (Trend in milliseconds, of
 * calls, with the waiting for a connection of a shared pool and without connecting, which is an
 * operation of its own; not under the executor client-sweep, which has durations of its own),
 * `memcached_hits` and `memcached_misses` (Counters: keys that were asked for and found or not),
 * each with the tags `op` (connect, or the method's name; metaGet and so on for those of `meta`)
 * and `outcome` (ok, or the error's kind); besides k6's own `data_sent` and `data_received`.
 *
 * `memcached_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `memcached_failed: ['rate<0.01']`.
 */
declare module 'k6/x/memcached' {
  /** Bytes as they are. Of a typed array or DataView, the part of the buffer that it shows. */
  export type Binary = ArrayBuffer | ArrayBufferView;

  /**
   * 1 to 250 bytes (the prefix included) without spaces and control characters. The meta protocol
   * takes any bytes: with such ones among them up to 186.
   */
  export type Key = string | Binary;

  /** A string is stored as UTF-8. */
  export type Value = string | Binary;

  /** A number of up to 64 bits: beyond 2^53 - 1 a BigInt. */
  export type Unsigned = number | bigint;

  /**
   * How values come out: as a string of UTF-8 (any other bytes become U+FFFD), or as they are.
   * Default: the client's `values`.
   */
  export interface As<F extends 'string' | 'binary' = 'string' | 'binary'> extends Tagged {
    as?: F;
  }

  /** What each call takes. */
  export interface Tagged {
    /** Tags of the call. */
    tags?: XK6Sweep.Tags;
  }

  /** How to reach the servers, and how to use them. Times must be more than 0. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /**
     * `"text"` (default) or `"meta"`, which numbers its requests and so notices each answer that is
     * another one's.
     */
    protocol?: 'text' | 'meta';
    /**
     * Where the server was started with --auth-file. No space in the user. They are in no error's
     * message.
     */
    user?: string;
    password?: string;
    /** Default: none. */
    tls?: boolean | XK6Sweep.TLSOptions;
    /**
     * Bytes of the largest value that is sent and accepted. Default 1 GiB; 0 stands for the
     * default.
     */
    maxValue?: number;
    /**
     * How keys are spread over several servers. `"ketama"` (default): as libmemcached does it with
     * KETAMA_WEIGHTED and equal weights. `"jump"`: jump consistent hash of the key's 64-bit FNV-1a
     * hash; servers can come and go at the end of the list only.
     */
    hashing?: 'ketama' | 'jump';
    /**
     * `"vu"` (default): one connection per client and server, as a client of a sweep is a
     * connection. `"shared"`: all VUs whose clients have equal options share up to `poolSize`
     * connections to each server; a call waits for a free one, up to `timeout`.
     */
    connection?: 'vu' | 'shared';
    /** How many connections are shared. Default 16; 0 stands for the default. */
    poolSize?: number;
    /** Put before all keys. */
    prefix?: string;
    /** How values come out, where a call does not say it. Default `"string"`. */
    values?: 'string' | 'binary';
  }

  /** What is stored with a value. */
  export interface StoreOptions extends Tagged {
    /**
     * When the value expires. Default 0: never. memcached counts in seconds: a part of one is a
     * whole one.
     */
    ttl?: XK6Sweep.TTL;
    /** 32 bits that the server keeps for its clients, see {@link Client.gets}. Default 0. */
    flags?: number;
  }

  /** A value with what compare-and-swap needs. */
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
   * What went wrong.
   *
   * | kind | |
   * |---|---|
   * | `connect` | a server could not be reached within connectTimeout |
   * | `connection` | the connection broke |
   * | `timeout` | no answer within timeout, or no free connection of a shared pool |
   * | `cancelled` | the test ended |
   * | `auth` | user and password are wrong, or missing |
   * | `too_large` | the value is larger than the server takes (it then drops what was stored under the key), or, sent or received, than maxValue |
   * | `full` | the server has no room, and was told to make none |
   * | `server` | any other error of the server |
   * | `invalid` | the server does not accept the request, such as incr of a value that is no number |
   * | `protocol` | the answer is none of the request |
   * | `usage` | the call itself is wrong; nothing was sent |
   * | `internal` | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
   *
   * After `connection`, `timeout`, `cancelled`, `auth` and `protocol` the connection is given up,
   * and after the others where nobody knows where the next answer begins; the next operation opens
   * a new one. Nothing is tried again by itself.
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
    /** Of pipeline and setMulti: which command failed first, from 0. */
    index?: number;
    /** Of pipeline and setMulti: what the commands returned, null for those that failed. */
    results?: any[];
  }

  /**
   * A command of a pipeline: the name of a method that takes a key, and the method's arguments.
   * Those of `meta` are called metaGet and so on.
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
   * Connections of one VU to one or more servers: opened by the first operation that needs them,
   * opened anew by the next one after they broke, and closed when the VU has no more use for them
   * (the end of setup or teardown, of the client's step under client-sweep, or of the test). Make
   * it in the init context, once per VU; use it in functions.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `host:port`, `host` (port 11211), the path of a unix socket, which starts with a
     *   slash or `unix://`, or `memcached://user:password@host:port?timeout=5s&connectTimeout=1s`;
     *   several in an array, or with commas. A call's `timeout` is for each server that it goes
     *   to. Default `"127.0.0.1:11211"`.
     * @throws kind `usage`: an option is unknown or has a wrong value
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    readonly protocol: 'text' | 'meta';

    /**
     * Connects to all servers now, where that was not done yet.
     * In a sweep, clients do it in their order, one after another.
     */
    connect(options?: Tagged): void;
    /** The form of `connect` that returns a promise. */
    asyncConnect(options?: Tagged): Promise<void>;
    /**
     * Closes the connections; those of a shared pool when nobody else uses it. The next operation
     * opens new ones.
     */
    close(): void;
    /** The form of `close` that returns a promise. */
    asyncClose(): Promise<void>;

    /** The value, or null. */
    get(key: Key, options: As<'binary'>): ArrayBuffer | null;
    get(key: Key, options?: As<'string'>): string | null;
    /** The form of `get` that returns a promise. */
    asyncGet(key: Key, options: As<'binary'>): Promise<ArrayBuffer | null>;
    asyncGet(key: Key, options?: As<'string'>): Promise<string | null>;
    /** The value with its CAS number and flags, or null. */
    gets(key: Key, options: As<'binary'>): ValueWithCAS<ArrayBuffer> | null;
    gets(key: Key, options?: As<'string'>): ValueWithCAS<string> | null;
    /** The form of `gets` that returns a promise. */
    asyncGets(key: Key, options: As<'binary'>): Promise<ValueWithCAS<ArrayBuffer> | null>;
    asyncGets(key: Key, options?: As<'string'>): Promise<ValueWithCAS<string> | null>;
    /** As get, and sets when the value expires. */
    gat(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): ArrayBuffer | null;
    gat(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): string | null;
    /** The form of `gat` that returns a promise. */
    asyncGat(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): Promise<ArrayBuffer | null>;
    asyncGat(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): Promise<string | null>;
    /** As gets, and sets when the value expires. */
    gats(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): ValueWithCAS<ArrayBuffer> | null;
    gats(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): ValueWithCAS<string> | null;
    /** The form of `gats` that returns a promise. */
    asyncGats(key: Key, ttl: XK6Sweep.TTL, options: As<'binary'>): Promise<ValueWithCAS<ArrayBuffer> | null>;
    asyncGats(key: Key, ttl: XK6Sweep.TTL, options?: As<'string'>): Promise<ValueWithCAS<string> | null>;
    /**
     * All keys with their values, null for those that are not there: one request a server with the
     * text protocol, a pipeline with meta.
     */
    getMulti(keys: readonly string[], options: As<'binary'>): { [key: string]: ArrayBuffer | null };
    getMulti(keys: readonly string[], options?: As<'string'>): { [key: string]: string | null };
    /** Sets when the value expires; false when it is not there. */
    touch(key: Key, ttl: XK6Sweep.TTL, options?: Tagged): boolean;
    /** The form of `touch` that returns a promise. */
    asyncTouch(key: Key, ttl: XK6Sweep.TTL, options?: Tagged): Promise<boolean>;

    /** Stores the value. */
    set(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `set` that returns a promise. */
    asyncSet(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /** Stores the value if the key is not there; false if it is. */
    add(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `add` that returns a promise. */
    asyncAdd(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /** Stores the value if the key is there; false if it is not. */
    replace(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): boolean;
    /** The form of `replace` that returns a promise. */
    asyncReplace(key: Key, value: Value, options?: XK6Sweep.TTL | StoreOptions): Promise<boolean>;
    /**
     * Puts the value behind the one that is there; false if there is none. Its time and flags stay.
     */
    append(key: Key, value: Value, options?: Tagged): boolean;
    /** The form of `append` that returns a promise. */
    asyncAppend(key: Key, value: Value, options?: Tagged): Promise<boolean>;
    /**
     * Puts the value before the one that is there; false if there is none. Its time and flags stay.
     */
    prepend(key: Key, value: Value, options?: Tagged): boolean;
    /** The form of `prepend` that returns a promise. */
    asyncPrepend(key: Key, value: Value, options?: Tagged): Promise<boolean>;
    /** Stores the value if the one that is there is still that of `cas`. */
    cas(key: Key, value: Value, cas: Unsigned, options?: XK6Sweep.TTL | StoreOptions): 'stored' | 'exists' | 'not_found';
    /** The form of `cas` that returns a promise. */
    asyncCas(key: Key, value: Value, cas: Unsigned, options?: XK6Sweep.TTL | StoreOptions): Promise<'stored' | 'exists' | 'not_found'>;
    /**
     * Stores all properties of an object in a pipeline, and returns how many. Throws as pipeline.
     */
    setMulti(values: { [key: string]: Value }, options?: XK6Sweep.TTL | StoreOptions): number;

    /** false when the key was not there. */
    delete(key: Key, options?: Tagged): boolean;
    /** The form of `delete` that returns a promise. */
    asyncDelete(key: Key, options?: Tagged): Promise<boolean>;
    /** Removes keys in a pipeline, and returns how many of them were there. Throws as pipeline. */
    deleteMulti(keys: readonly Key[], options?: Tagged): number;
    /**
     * Adds to a number in decimal digits (default 1, wrapping at 2^64) and returns the sum; null
     * when the key is not there.
     */
    incr(key: Key, delta?: Unsigned | null, options?: Tagged): Unsigned | null;
    /** The form of `incr` that returns a promise. */
    asyncIncr(key: Key, delta?: Unsigned | null, options?: Tagged): Promise<Unsigned | null>;
    /**
     * Subtracts (default 1, not below 0) and returns what is left; null when the key is not there.
     */
    decr(key: Key, delta?: Unsigned | null, options?: Tagged): Unsigned | null;
    /** The form of `decr` that returns a promise. */
    asyncDecr(key: Key, delta?: Unsigned | null, options?: Tagged): Promise<Unsigned | null>;

    /**
     * The value; where it is not there, the one given, or what the function returns, after storing
     * it. Two operations then: a get that misses, and a set.
     */
    getOrSet<V extends Value>(
      key: Key,
      ttl: XK6Sweep.TTL | StoreOptions,
      value: V | ((key: Key) => V),
      options?: As,
    ): V | string | ArrayBuffer;

    /**
     * Sends commands together, at most some 32 kB ahead of their answers, and returns what the
     * methods of their names would.
     *
     * @throws the first command's error that failed, with `index` and all `results`; the others
     *   were done, unless the connection broke
     */
    pipeline(commands: readonly Command[], options?: Tagged): any[];

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
     * Does a workload's operations, in Go. A getOrSet is a get and, on a miss, a set. Clients with
     * connections of their own take turns in the order in which their answers came; those of a
     * shared pool, or of k6 elsewhere than on Linux, are on goroutines of their own, where one may
     * go before others whose answers came first.
     */
    run(workload: XK6SweepCaches.Workload): XK6SweepCaches.Result;
    /**
     * Does accesses of a pass of the published hit-rate benchmark, in Go: a get and, on a miss, a
     * set.
     */
    hitRate(options: XK6SweepCaches.HitRate): XK6SweepCaches.HitRateResult;

    /** Empties all servers, now or after a time. */
    flushAll(delay?: XK6Sweep.TTL | null, options?: Tagged): void;
    /**
     * Statistics of all servers, by their addresses: `stats('items')`, default the general ones.
     * `cachedump` and `detail dump`, which list keys, are refused (kind `usage`).
     */
    stats(argument?: string | null, options?: Tagged): { [server: string]: { [name: string]: string } };
    /** The version of the first server. */
    version(options?: Tagged): string;

    /**
     * The meta commands as they are (mg, ms, md, ma, mn), whatever `protocol` is. Flags are
     * separated by one space: `'v t f T30'`. The flag b is set for keys that need it, q cannot be
     * used. What the flags mean is in memcached's doc/protocol.txt.
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
      /** ma: adds to a number, or takes from it. */
      arithmetic(key: Key, flags?: string | null, options?: As<'string'>): MetaReply;
      /** The form of `arithmetic` that returns a promise. */
      asyncArithmetic(key: Key, flags?: string | null, options?: As<'string'>): Promise<MetaReply>;
      /** One round trip to each server. */
      noop(options?: Tagged): void;
    };
  }

  const memcached: { Client: typeof Client };
  export default memcached;
}

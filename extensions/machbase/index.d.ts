/**
 * k6/x/machbase is a client of the Machbase time series database that speaks its native protocol.
 *
 * Operations have two forms. The blocking form, such as `query`, waits until it is done, and throws
 * a {@link MachbaseError} if it fails. The async form, `asyncQuery`, takes the same arguments and
 * returns a promise. A client runs its operations of both forms one after another, in the order of
 * the calls; to run several at the same time, use several clients. Arguments are copied at the
 * call. k6 ends an iteration only when its promises are settled, even if the script does not await
 * them.
 *
 * Metrics:
 * - `machbase_ops` (Counter), `machbase_op_duration` (Trend in milliseconds; not under the executor
 *   client-sweep, which measures durations itself) and `machbase_rows` (Counter: rows read or
 *   appended), with the tags `op` (connect, query, exec, prepare, append) and `outcome` (ok, or the
 *   error's kind).
 * - `machbase_rows_acknowledged` and `machbase_rows_rejected` (Counters): appended rows that the
 *   server accepted or rejected, counted at an appender's `sync` and `close`. Rejected rows have
 *   the tag `reason`: the server's error code, or `other`.
 * - k6's own `data_sent` and `data_received`.
 *
 * `machbase_failed` (Rate, with the tag `op`) is the share of failed operations, like
 * `http_req_failed` for requests. A threshold: `machbase_failed: ['rate<0.01']`.
 */
declare module 'k6/x/machbase' {
  /** The types for which {@link bind} makes parameters. */
  export type BindType =
    | 'short'
    | 'integer'
    | 'long'
    | 'float'
    | 'double'
    | 'datetime'
    | 'varchar'
    | 'ipv4'
    | 'ipv6'
    | 'binary';

  /**
   * The type of an answer's column; `null` is an expression that is always null. (The driver machgo
   * reports unsigned types as signed ones, and text and json as `varchar`.)
   */
  export type ColumnType = BindType | 'ushort' | 'uinteger' | 'ulong' | 'char' | 'text' | 'clob' | 'blob' | 'json' | 'null';

  /** A parameter with an explicit type, made by {@link bind}. It has no properties. */
  export interface TypedValue {
    readonly __machbaseTypedValue: never;
  }

  /**
   * A parameter, a value of an appended row or an expected value.
   *
   * | JavaScript | Machbase |
   * |---|---|
   * | string | varchar |
   * | integer up to 2^53 - 1, BigInt of up to 64 bits | long |
   * | any other number | double |
   * | Date | datetime |
   * | ArrayBuffer | binary |
   * | null, undefined | null |
   *
   * The server converts a parameter to the column's type if it can: a long fits any numeric column
   * with enough bits (but no varchar), a double loses its fraction in an integer column, a string
   * can be an IP address. NaN and infinities become null, and so do the values that Machbase
   * reserves for null: '', the smallest short, integer and long, the largest ushort and uinteger,
   * the largest float and double.
   *
   * Any other value (a boolean, an object, an array, an invalid Date, a Date outside of the years
   * 1678 to 2262, a BigInt of more than 64 bits) is an error of kind `usage` that names the
   * parameter.
   */
  export type Value = string | number | bigint | Date | ArrayBuffer | TypedValue | null | undefined;

  /**
   * A value of a row. A long or ulong beyond ±(2^53 - 1) is a BigInt. A datetime is a Date (rounded
   * down to milliseconds) or, with `times: 'ns'`, a BigInt of nanoseconds since 1970. An IP address
   * is a string, a binary value an ArrayBuffer.
   */
  export type Cell = string | number | bigint | Date | ArrayBuffer | null;

  /** A column of an answer. */
  export interface Column {
    /** As in the query; in upper case for `*`. */
    name: string;
    type: ColumnType;
  }

  /** The rows of an answer. `columns` is not a key of the array. */
  export type Rows<T> = T[] & { readonly columns: Column[] };

  /** How to reach the server. These options take precedence over those of the URL. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** Default `"sys"`. Sent in upper case. */
    user?: string;
    /** Default: none. Errors never show it. */
    password?: string;
    /**
     * The client library: `"native"` (default), or Machbase's own `"machgo"` or `"machcli"` in a k6
     * built with `make build-drivers`. Any other name is an error of kind `usage` that lists the
     * drivers of this k6.
     */
    driver?: string;
    /**
     * The server's limit for a query or statement, rounded up to seconds. The server ends it with
     * an error of kind `cancelled` and code 3027, and the connection stays usable. If no answer
     * arrives within five more seconds, the client gives up with kind `timeout`. Default: no limit.
     */
    queryTimeout?: XK6Sweep.Duration;
    /**
     * Which statements of query and exec stay prepared on the connection, so that their next use
     * takes one round trip. This applies to statements that read or change rows, at most 512;
     * beyond that, the least recently used one is freed.
     *
     * `"off"` (default): none. A statement without parameters takes one round trip in every mode.
     * One with parameters is prepared, executed and freed: three round trips. On Linux, a repeated
     * query whose rows fit in one answer takes only one, because its three requests are sent
     * together. `"auto"`: statements from their second use. `"on"`: all statements from their first
     * use.
     *
     * If a table is dropped and created with other columns, a prepared statement reads it in the
     * old form until the connection is closed.
     */
    statementCache?: 'off' | 'auto' | 'on';
    /** Rows in one packet of an answer, at least 1. Default, and for 0: 1000. */
    fetchRows?: number;
  }

  /** Options of exec. */
  export interface ExecOptions {
    /** Of this call. Default: the client's. */
    timeout?: XK6Sweep.Duration;
    /** Tags of the call's samples. */
    tags?: XK6Sweep.Tags;
  }

  /** Options of query. */
  export interface QueryOptions extends ExecOptions {
    /**
     * `"objects"` (default): an object for each row, with the column names as keys (of columns with
     * the same name, the last one). `"arrays"`: an array for each row. `"discard"`: rows are read,
     * checked and counted in Go, without JavaScript.
     */
    rows?: 'objects' | 'arrays' | 'discard';
    /** The form of a datetime: a Date (default) or a BigInt of nanoseconds since 1970. */
    times?: 'date' | 'ns';
    /**
     * Values that columns must have in every row, checked in Go with any `rows`. Column names
     * ignore case, numbers are compared by value, an IP address may be a string. A different value
     * is an error of kind `expect` that names row, column and both values. A column that is not in
     * the answer is an error of kind `usage`. An answer without rows is an error too, see
     * `minRows`.
     */
    expect?: { [column: string]: Value };
    /**
     * Minimum number of rows; fewer are an error of kind `expect`. Default: 1 with `expect`, else
     * 0.
     */
    minRows?: number;
  }

  /** Options of {@link Client.run}. */
  export interface Work {
    /** Number of operations. Set either this or `duration`. */
    iterations?: number;
    /** How long to run operations. */
    duration?: XK6Sweep.Duration;
    /** The SQL of a query, whose rows are read, checked and counted. Set either this or `exec`. */
    query?: string;
    /** The SQL of a statement without rows. */
    exec?: string;
    /** The parameters of the text: values, or patterns that generate one for each operation. */
    params?: readonly (Value | Pattern)[];
    /** As in {@link QueryOptions}, for query. */
    expect?: { [column: string]: Value };
    /** As in {@link QueryOptions}, for query. */
    minRows?: number;
    /**
     * Seed of the random patterns. Default 1. The values depend only on the seed and on the
     * client's position among the clients, so every run uses the same. They continue from call to
     * call, and restart with each step.
     */
    seed?: number;
    /** Of each operation. Default: the client's. */
    timeout?: XK6Sweep.Duration;
    /** Tags of the call's samples. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * Generates a parameter for each operation of {@link Client.run}.
   *
   * `oneOf`: one of the values, with equal probability. `between`: a value between two numbers or
   * two Dates (inclusive), with equal probability. Integer bounds give integers, in multiples of
   * `step` (default 1), and Dates in multiples of `step` (default: one millisecond). `from`: an
   * integer or a Date that advances by `step` with each operation. Operation k of client i of n
   * has from + (i + nk)step, so no two clients use the same value. This needs one Client per
   * client, and one instance of k6; under k6's own executors, n is the number of VUs at the start
   * of the test. The default `step` is 1; a Date needs an explicit one. Integers may be BigInts.
   */
  export type Pattern =
    | { oneOf: readonly Value[] }
    | { between: readonly [number | bigint, number | bigint]; step?: number | bigint }
    | { between: readonly [Date | TypedValue, Date | TypedValue]; step?: XK6Sweep.Duration }
    | { from: number | bigint; step?: number | bigint }
    | { from: Date | TypedValue; step: XK6Sweep.Duration };

  /** The result of {@link Client.run}. */
  export interface WorkResult {
    succeeded: number;
    /** Failed operations. They are not part of `succeeded`. */
    failed: number;
    /** Rows of the successful operations. */
    rows: number;
    seconds: number;
  }

  /**
   * The error of a failed call.
   *
   * | kind | code | |
   * |---|---|---|
   * | `connect` | 0 | no server could be reached within connectTimeout |
   * | `connection` | 0 | the connection broke; also: an appender is used after its end |
   * | `protocol` | 0 | an answer violates the protocol |
   * | `timeout` | 0 | no answer within timeout; `wait` ended before the roll-up caught up |
   * | `cancelled` | 0, 3027 | the test ended; 3027: the server cancelled the query, at queryTimeout |
   * | `auth` | 2080, 2081 | unknown user, wrong password |
   * | `syntax` | 2010 | the server cannot parse the statement |
   * | `not_found` | 2025, 2056, 2654, 0 | no such table, column or roll-up (0: in an appender, info, gap, wait) |
   * | `busy` | 0, 2031, 3039 | a lock, too many sessions (0: the server reset the connection) |
   * | `conflict` | 2024 | a table of that name exists already |
   * | `append` | 0 | a value does not fit its column; the row was not sent |
   * | `expect` | 0 | a row is not as expected, or there are fewer rows than `minRows` |
   * | `usage` | 0 | the call itself is wrong |
   * | `server` | others | any other error of the server |
   * | `internal` | 0 | a fault in k6's extensions or in a library; its stack is in the log |
   *
   * An array argument with more than 1,000,000 elements, or one that contains itself, is an error
   * of kind `usage`.
   *
   * After an error of kind `connect`, `connection`, `protocol`, `timeout` (except of `wait`) or
   * `cancelled` with code 0, the client closes the connection, and the next operation opens a new
   * one. After other errors the connection stays usable. (The drivers machgo and machcli also close
   * it after `append`, and after a server error within an answer's rows.)
   */
  export interface MachbaseError extends Error {
    name: 'MachbaseError';
    /** The server's error code, which is also in the message; 0 for other errors. */
    code: number;
    kind:
      | 'connect'
      | 'connection'
      | 'protocol'
      | 'timeout'
      | 'cancelled'
      | 'auth'
      | 'syntax'
      | 'not_found'
      | 'busy'
      | 'conflict'
      | 'append'
      | 'expect'
      | 'usage'
      | 'server'
      | 'internal';
  }

  /**
   * A client with one connection. The first operation opens it; the next operation after a failure
   * opens a new one. The connection closes at the end of setup or teardown, of the client's step
   * under client-sweep, or of the test. Create one client per VU in the init context, and use it in
   * functions. VUs do not share connections.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `machbase://user:password@host:port?option=value`, or `host:port`. Default
     *   `"machbase://sys@127.0.0.1:5656"`. Options: alternatives, connectTimeout, driver,
     *   fetchRows, queryTimeout, statementCache, timeout. Use encodeURIComponent for special
     *   characters in user and password. Several URLs, in an array or separated by commas, are
     *   servers with the same data; they are tried in order, all within connectTimeout. User,
     *   password and options may be in any of them. Machbase's native protocol has no TLS.
     * @throws kind `usage`: an option is unknown or has a wrong value, the url is malformed, or the
     *   driver is not in this k6
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /** The driver's name, such as `"native"`. */
    readonly driver: string;
    /** The mode of the statement cache, from the options or the URL. */
    readonly statementCache: 'off' | 'auto' | 'on';

    /**
     * Connects if there is no connection. In a sweep, the clients connect one after another, always
     * in the same order.
     *
     * @throws kind `connect` or `auth`; `usage` in the init context, as all other methods but close
     */
    connect(options?: { tags?: XK6Sweep.Tags }): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: { tags?: XK6Sweep.Tags }): Promise<void>;

    /**
     * Runs a query and returns its rows; with `rows: 'discard'` their number.
     *
     * Deeply frozen parameters and options (`Object.freeze`; dates as `bind('datetime', date)`) are
     * read only once, which saves processor time.
     *
     * @param params the parameters of the text
     * @throws kind `usage` for a wrong number of parameters; any kind but `auth` and `connect`, and
     *   those too if it has to connect
     */
    query(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): number;
    query(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Rows<any[]>;
    query<T = { [column: string]: any }>(
      sql: string,
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Rows<T>;
    /** {@link Client.query} as a promise. */
    asyncQuery(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): Promise<number>;
    asyncQuery(sql: string, params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Promise<Rows<any[]>>;
    asyncQuery<T = { [column: string]: any }>(
      sql: string,
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Promise<Rows<T>>;

    /**
     * Runs a statement without rows, including DDL, and returns how many rows it changed (0 for
     * DDL).
     *
     * @throws like query
     */
    exec(sql: string, params?: readonly Value[] | null, options?: ExecOptions): number;
    /** {@link Client.exec} as a promise. */
    asyncExec(sql: string, params?: readonly Value[] | null, options?: ExecOptions): Promise<number>;

    /**
     * Prepares a statement on this client's connection. Executing it takes one round trip.
     *
     * @throws kind `syntax`, `not_found` and other errors of the server
     */
    prepare(sql: string, options?: ExecOptions): Statement;
    /** {@link Client.prepare} as a promise. */
    asyncPrepare(sql: string, options?: ExecOptions): Promise<Statement>;

    /**
     * Opens an appender on a tag, log or volatile table. Other operations and appenders of the
     * client are possible meanwhile.
     *
     * @throws kind `not_found` if the table (code 2025) or a column (code 0) does not exist;
     *   `usage` for a repeated column, a wrong option, or another kind of table
     */
    appender(table: string, options?: AppenderOptions): Appender;
    /** {@link Client.appender} as a promise. */
    asyncAppender(table: string, options?: AppenderOptions): Promise<Appender>;

    /**
     * Runs a statement many times in Go, without JavaScript for each operation.
     *
     * In a step of client-sweep each operation counts as one of the step, with the name that the
     * sweep's option `op` sets; within `sweep.op` it is an error. The call returns when the
     * client's share is done or the step ends. In an open loop each operation is one of the
     * schedule: the call waits until the next one is due; its first operation is the one for which
     * the function was called. In a duet at a rate the call runs one operation. With the native
     * driver on Linux, clients share event loops, one per processor, and continue in the order in
     * which their answers arrive, as a C program would. The step's report then has `clientWaitMs`,
     * the time that answers waited for their client.
     *
     * Failed operations are counted, in the step and in the result, and do not throw. The call
     * throws only if it is wrong (kind `usage`), or at the end of the test. Outside of a sweep, the
     * log names the first call with failures.
     *
     * @throws kind `usage` and `cancelled`
     */
    run(work: Work): WorkResult;

    /**
     * Closes the connection and its open appenders after earlier operations. The next operation
     * opens a new connection.
     *
     * @throws errors of closing the appenders
     */
    close(): void;
  }

  /** A prepared statement. On a new connection its next use prepares it again. */
  export interface Statement {
    /** Like {@link Client.query}, without the text. */
    query(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): number;
    query(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Rows<any[]>;
    query<T = { [column: string]: any }>(
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Rows<T>;
    /** {@link Statement.query} as a promise. */
    asyncQuery(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'discard' }): Promise<number>;
    asyncQuery(params: readonly Value[] | null | undefined, options: QueryOptions & { rows: 'arrays' }): Promise<Rows<any[]>>;
    asyncQuery<T = { [column: string]: any }>(
      params?: readonly Value[] | null,
      options?: QueryOptions & { rows?: 'objects' },
    ): Promise<Rows<T>>;

    /** Like {@link Client.exec}, without the text. */
    exec(params?: readonly Value[] | null, options?: ExecOptions): number;
    /** {@link Statement.exec} as a promise. */
    asyncExec(params?: readonly Value[] | null, options?: ExecOptions): Promise<number>;

    /**
     * Frees the statement on the server after earlier operations. The next use prepares it again.
     */
    close(): void;
  }

  /**
   * Options of {@link Client.appender}. A batch is sent when it reaches the first of its limits.
   */
  export interface AppenderOptions {
    /**
     * The columns of the rows, in order, in upper or lower case; other columns become null.
     * Default: all columns in the table's order (for a log table without `_arrival_time`, which the
     * server sets).
     */
    columns?: string[];
    /** Maximum number of rows in a batch. Default: no limit. */
    batchRows?: number;
    /** Maximum bytes of a batch, up to 65536, the largest packet. Default 65536. */
    batchBytes?: number;
    /**
     * Maximum age of a batch's first row, checked only when rows are appended. Default: no limit.
     */
    batchTime?: XK6Sweep.Duration;
    /** Tags of the samples of all its calls. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * A column: an array of values, or a typed array of numbers, which is passed to Go without a
   * JavaScript value for each. Integers (BigInt64Array) in a datetime column are nanoseconds since
   * 1970.
   */
  export type ColumnValues =
    | readonly Value[]
    | Float64Array
    | Float32Array
    | Int8Array
    | Int16Array
    | Int32Array
    | Uint8Array
    | Uint8ClampedArray
    | Uint16Array
    | Uint32Array
    | BigInt64Array
    | BigUint64Array;

  /** The server's report about all rows of an appender so far. */
  export interface Receipt {
    /**
     * Accepted rows: they are in the table. When the server is killed, a tag table keeps them; a
     * log table loses those of the last quarter of a second (v8.0.74). Queries see them a little
     * later, or after `exec table_flush(TABLE)`.
     */
    accepted: number;
    /** Rejected rows. */
    rejected: number;
    /**
     * Reasons, most frequent first, up to 16 different texts: 1345 is a null in a column that must
     * not be null, 3017 a row that is too long.
     */
    reasons: { code: number; message: string; rows: number }[];
    /** Rejected rows with other reasons. */
    other: number;
  }

  /**
   * Appends many rows without an answer for each: it buffers rows and sends them in batches. `sync`
   * and `close` return how many rows the server has accepted and rejected. Rejected rows do not
   * throw: check the receipt, or set a threshold on `machbase_rows_rejected`. At the end of the VU
   * an open appender is closed, too late for metrics and thresholds: if that fails, or rows are
   * rejected, the log says so, and k6 exits with 110.
   *
   * A value that does not fit its column throws kind `append`, and a row of the wrong length throws
   * kind `usage`. That row is not appended, earlier ones of the call are, and the appender stays
   * usable. (With the drivers machgo and machcli, kind `append` ends it.) An appender ends with its
   * connection: after an error of kind `connection` or `timeout` in any operation of the client,
   * the fate of rows since the last receipt is unknown, and every further call throws kind
   * `connection`.
   */
  export interface Appender {
    /**
     * Appends rows.
     *
     * @throws kind `usage` also if a value cannot be a parameter: then no row of the call is
     *   appended
     */
    append(...rows: Value[][]): void;
    /** {@link Appender.append} as a promise. */
    asyncAppend(...rows: Value[][]): Promise<void>;

    /**
     * Appends rows given as columns of equal length, in the order of the appender's columns, and
     * returns the number of rows.
     *
     * @throws kind `usage` also for a wrong number or length of columns: then no row is appended
     */
    appendColumns(columns: readonly ColumnValues[]): number;
    /** {@link Appender.appendColumns} as a promise. */
    asyncAppendColumns(columns: readonly ColumnValues[]): Promise<number>;

    /**
     * Appends rows that are generated in Go, so that JavaScript does not limit the speed, and
     * returns how many. Equal options give equal rows, and two adjacent ranges give the rows of one
     * (except for `sequence`, which counts from its `from`). The client's timeout applies to each
     * batch of up to 1024 rows.
     *
     * Rows of the stock benchmark:
     * - `stock_tick`: code, time, price, volume, bid_price, ask_price
     * - `stock_rollup_1s`, `stock_rollup_1m`: code, time, sum_price, sum_volume, sum_bid, sum_ask,
     *   cnt, for each full second or minute
     *
     * Rows of (name, time, value), for each tag one at `from` and at each `interval` after it:
     * - `sine`: offset + amplitude * sin of the time since 1970 with this `period`; the tags have
     *   evenly distributed phases
     * - `sequence`: offset, offset + 1, offset + 2 and so on, starting at `from`
     *
     * @throws kind `usage`: an unknown name or option, or an invalid range
     */
    generate(name: 'stock_tick' | 'stock_rollup_1s' | 'stock_rollup_1m', options: StockOptions): number;
    generate(name: 'sine', options: SineOptions): number;
    generate(name: 'sequence', options: SequenceOptions): number;
    /** {@link Appender.generate} as a promise. */
    asyncGenerate(name: 'stock_tick' | 'stock_rollup_1s' | 'stock_rollup_1m', options: StockOptions): Promise<number>;
    asyncGenerate(name: 'sine', options: SineOptions): Promise<number>;
    asyncGenerate(name: 'sequence', options: SequenceOptions): Promise<number>;

    /**
     * Sends the buffered rows. Queries see them a little later, or after `exec table_flush(TABLE)`.
     */
    flush(): void;
    /** {@link Appender.flush} as a promise. */
    asyncFlush(): Promise<void>;

    /**
     * Sends the buffered rows, waits until the server has accepted or rejected all rows, and
     * returns the receipt, in one round trip.
     */
    sync(): Receipt;
    /** {@link Appender.sync} as a promise. */
    asyncSync(): Promise<Receipt>;

    /** Like sync, and ends the appender. */
    close(): Receipt;
    /** {@link Appender.close} as a promise. */
    asyncClose(): Promise<Receipt>;
  }

  /** Options of {@link Appender.generate} for the stock benchmark. */
  export interface StockOptions {
    /** Time of the first row, rounded down to 100 ms. */
    from: Date | string;
    /** The rows end before this time. A string is a date and time as in RFC 3339. */
    to: Date | string;
    /** Selects the data set. An integer, default 0. */
    seed?: number;
    /** Ticks per second over all codes, from 0.01 to 1,000,000. Default 1000. */
    tps?: number;
  }

  /** Common options of the generators of (name, time, value). Set one of `to` and `rows`. */
  export interface RangeOptions {
    /** Time of each tag's first row. A string is a date and time as in RFC 3339. */
    from: Date | string;
    /** The rows end before this time. */
    to?: Date | string;
    /** Total number of rows. */
    rows?: number;
    /** Number of tags, from 1 to 1,000,000. Default 1. */
    tags?: number;
    /** Prefix of the names; a number from 0 follows. Default `"tag-"`. */
    prefix?: string;
    /** Time between two rows of a tag. Default `"1s"`. */
    interval?: XK6Sweep.Duration;
  }

  export interface SineOptions extends RangeOptions {
    /** Default `"1m"`. */
    period?: XK6Sweep.Duration;
    /** Default 1. */
    amplitude?: number;
    /** Default 0. */
    offset?: number;
  }

  export interface SequenceOptions extends RangeOptions {
    /** The first value. Default 0. */
    offset?: number;
  }

  /**
   * Makes a parameter with an explicit type.
   *
   * `short`, `integer` and `long` accept integers and BigInts, `float` and `double` any number,
   * `datetime` a Date, a number of milliseconds since 1970 or a BigInt of nanoseconds, `ipv4` and
   * `ipv6` a string, `binary` an ArrayBuffer or a string (as UTF-8). null and undefined are null of
   * any type.
   *
   * @throws kind `usage`: an unknown type, or a value that does not fit the type
   */
  export function bind(type: BindType, value: Value): TypedValue;

  const machbase: { Client: typeof Client; bind: typeof bind };
  export default machbase;
}

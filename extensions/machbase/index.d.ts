/**
 * k6/x/machbase: a client of the Machbase time series database over its native protocol.
 *
 * Every operation has two forms. The plain one, such as `query`, blocks its VU until it is done,
 * and throws a {@link MachbaseError} when it fails. The asynchronous one, `asyncQuery`, takes the
 * same arguments and returns a promise, which is rejected with the same error. Operations of one
 * client, of both forms, are done one after the other, in the order in which they were called: to
 * have several under way, use several clients. What is passed (columns, buffers) is copied at the
 * call. k6 ends an iteration when all that it has begun is done, whether the script awaits it or
 * not.
 *
 * Metrics: `machbase_ops` (Counter), `machbase_op_duration` (Trend in milliseconds; not under the
 * executor client-sweep, which has durations of its own) and `machbase_rows` (Counter: rows read or
 * appended), each with the tags `op` (connect, query, exec, prepare, append) and `outcome` (ok, or
 * the error's kind); `machbase_rows_acknowledged` (Counter: appended rows that the server took) and
 * `machbase_rows_rejected` (Counter: those that it rejected, with the tag `reason`: the server's
 * error code, or `other`), both as of an appender's `sync` and `close`; besides k6's own
 * `data_sent` and `data_received`.
 *
 * `machbase_failed` (Rate, with the tag `op`) is the share of operations that failed, as
 * `http_req_failed` is of requests: a threshold is `machbase_failed: ['rate<0.01']`.
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
   * The type of an answer's column; `null` is that of an expression that is always null. (The
   * driver machgo has the signed types' names for the unsigned ones, and `varchar` for text and
   * json.)
   */
  export type ColumnType = BindType | 'ushort' | 'uinteger' | 'ulong' | 'char' | 'text' | 'clob' | 'blob' | 'json' | 'null';

  /** A parameter whose type was chosen with {@link bind}. It has no properties of its own. */
  export interface TypedValue {
    readonly __machbaseTypedValue: never;
  }

  /**
   * What can be a parameter, a value of an appended row or an expected value.
   *
   * | JavaScript | Machbase |
   * |---|---|
   * | string | varchar |
   * | whole number up to 2^53 - 1, BigInt of up to 64 bits | long |
   * | any other number | double |
   * | Date | datetime |
   * | ArrayBuffer | binary |
   * | null, undefined | null |
   *
   * The server converts a parameter to the column's type where it can: a long fits any numeric
   * column that can hold it (but no varchar), a double loses its fraction in an integer column, a
   * text can be an IP address. NaN and the infinities become null, and so do the values with which
   * Machbase writes null: '', the smallest short, integer and long, the largest ushort and
   * uinteger, the largest float and double.
   *
   * Anything else (a boolean, an object, an array, an invalid Date, a Date outside of the years
   * 1678 to 2262, a BigInt of more than 64 bits) is an error of kind `usage` that names the
   * parameter.
   */
  export type Value = string | number | bigint | Date | ArrayBuffer | TypedValue | null | undefined;

  /**
   * A value of a row. A long or ulong beyond ±(2^53 - 1) is a BigInt, a datetime a Date (rounded
   * down to milliseconds) or, with `times: 'ns'`, a BigInt of nanoseconds since 1970; an IP address
   * is a string, binary an ArrayBuffer.
   */
  export type Cell = string | number | bigint | Date | ArrayBuffer | null;

  /** A column of an answer. */
  export interface Column {
    /** As the query wrote it; in upper case where it wrote `*`. */
    name: string;
    type: ColumnType;
  }

  /** The rows of an answer. `columns` is not among the array's own keys. */
  export type Rows<T> = T[] & { readonly columns: Column[] };

  /** How to reach the server. What stands here overrides what stands in the URL. */
  export interface ClientOptions extends XK6Sweep.ClientOptions {
    /** Default `"sys"`. It is sent in upper case. */
    user?: string;
    /** Default: none. It is in no error's message. */
    password?: string;
    /**
     * What speaks to the server: `"native"` (default), a client of our own. `"machgo"` and
     * `"machcli"` are Machbase's, in a k6 that `make build-drivers` makes. Another name, or one
     * that is not in this k6, is an error of kind `usage` that lists the names in it.
     */
    driver?: string;
    /**
     * How long the server lets a query or statement run; it counts in whole seconds, rounded up. It
     * then ends it with an error of kind `cancelled` and code 3027, and the connection stays. Where
     * no answer comes five seconds after that, the client gives up with kind `timeout`. Default: no
     * limit of the server's.
     */
    queryTimeout?: XK6Sweep.Duration;
    /**
     * Which statements of query and exec stay prepared on the connection, so that the next use is
     * one round trip. Only those that read or change rows do, at most 512, of which the one that
     * was not used for the longest time makes room.
     *
     * `"off"` (default): none. One with parameters is prepared, executed and freed: three round
     * trips, or one on Linux for a query that the connection has run before and whose rows fit one
     * answer, as the three requests are sent in one go then. One without parameters is one round
     * trip in any mode. `"auto"`: those that come a second time. `"on"`: all, from their first use.
     *
     * A table that is dropped and created with other columns is read as it was by a statement that
     * stays prepared, until the connection is closed.
     */
    statementCache?: 'off' | 'auto' | 'on';
    /** Rows in one packet of an answer, at least 1. Default 1000; 0 stands for the default. */
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
     * `"objects"` (default): one object a row, with the columns' names as keys (of two columns of
     * one name, the last stays). `"arrays"`: one array a row. `"discard"`: none; they are read,
     * checked and counted in Go, so that a row costs no JavaScript.
     */
    rows?: 'objects' | 'arrays' | 'discard';
    /** What a datetime becomes: a Date (default) or a BigInt of nanoseconds since 1970. */
    times?: 'date' | 'ns';
    /**
     * Values that columns must have in every row, checked in Go whatever `rows` is. Names are
     * compared without regard to case, numbers by value whatever their types, an IP address may be
     * a string. A row with another value is an error of kind `expect` that names row, column and
     * both values; a column that the answer has not is one of kind `usage`. An answer without rows
     * fails, see `minRows`.
     */
    expect?: { [column: string]: Value };
    /**
     * An answer with fewer rows is an error of kind `expect`. Default 1 where `expect` is given,
     * else 0.
     */
    minRows?: number;
  }

  /** What {@link Client.run} does. */
  export interface Work {
    /** Operations of the call. Either this or `duration`. */
    iterations?: number;
    /** How long the call goes on. */
    duration?: XK6Sweep.Duration;
    /** The SQL of a query, whose rows are read, checked and counted. Either this or `exec`. */
    query?: string;
    /** The SQL of a statement that returns no rows. */
    exec?: string;
    /** Of the question marks in the text: values, or patterns that make one for each operation. */
    params?: readonly (Value | Pattern)[];
    /** As in {@link QueryOptions}, of query. */
    expect?: { [column: string]: Value };
    /** As in {@link QueryOptions}, of query. */
    minRows?: number;
    /**
     * Of what patterns draw. Default 1. What a client draws follows from the seed and its place
     * among the clients: the same in every run. It goes on from call to call, and begins anew with
     * a step.
     */
    seed?: number;
    /** Of each operation. Default: the client's. */
    timeout?: XK6Sweep.Duration;
    /** Tags of the call's samples. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * Makes a parameter for each operation of {@link Client.run}.
   *
   * `oneOf`: one of the values, each as often as the others. `between`: two numbers, or two Dates;
   * a value from the first to the second, each as likely as the others, `step` apart. It is whole
   * where all of these are whole (and `step` 1, unless it is said); of Dates `step` is a time, by
   * default one millisecond. `from`: a number or a Date, and `step` further with each operation:
   * client i of n of a step has from + (i + nk)step in its k-th, so that no two have one in common
   * (one Client each, in one instance of k6; VUs of k6's own executors are the n that the test has
   * when they begin). Whole numbers can be BigInts. `step` is 1, and has to be said with a Date.
   */
  export type Pattern =
    | { oneOf: readonly Value[] }
    | { between: readonly [number | bigint, number | bigint]; step?: number | bigint }
    | { between: readonly [Date | TypedValue, Date | TypedValue]; step?: XK6Sweep.Duration }
    | { from: number | bigint; step?: number | bigint }
    | { from: Date | TypedValue; step: XK6Sweep.Duration };

  /** What a call of {@link Client.run} came to. */
  export interface WorkResult {
    succeeded: number;
    /** Operations that failed: none of them is among those that succeeded. */
    failed: number;
    /** Of the operations that succeeded. */
    rows: number;
    seconds: number;
  }

  /**
   * What went wrong.
   *
   * | kind | code | |
   * |---|---|---|
   * | `connect` | 0 | no server could be reached within connectTimeout |
   * | `connection` | 0 | the connection broke; also: an appender is used after its end |
   * | `protocol` | 0 | what came is no answer |
   * | `timeout` | 0 | no answer within timeout; also: a roll-up that `wait` waits for has not caught up |
   * | `cancelled` | 0, 3027 | the test ended; 3027: the server cancelled the query, at queryTimeout |
   * | `auth` | 2080, 2081 | unknown user, wrong password |
   * | `syntax` | 2010 | the server does not understand the statement |
   * | `not_found` | 2025, 2056, 2654, 0 | no such table, column, roll-up; 0: a column of an appender, or a roll-up that is asked about |
   * | `busy` | 0, 2031, 3039 | a lock, too many sessions (of which a server may say nothing: code 0) |
   * | `conflict` | 2024 | there is a table of that name already |
   * | `append` | 0 | a value does not fit its column: the client found out, and nothing of the row was sent |
   * | `expect` | 0 | a row is not as expected, or there are fewer rows than `minRows` |
   * | `usage` | 0 | the call itself is wrong |
   * | `server` | others | any other error of the server |
   * | `internal` | 0 | a fault in k6's extensions or in a library, not in the script or the server; its stack is in the log |
   *
   * An array that a call is given has at most 1,000,000 elements, and none holds itself: more is an
   * error of kind `usage`.
   *
   * After `connect`, `connection`, `protocol`, `timeout` and `cancelled` with code 0 the connection
   * is given up (but not by `wait`): the next operation opens a new one. After the others it stays.
   * (The drivers machgo and machcli give it up after `append` too, and after an error of the server
   * amid an answer's rows.)
   */
  export interface MachbaseError extends Error {
    name: 'MachbaseError';
    /**
     * The server's error code, which also stands in the message; 0 for errors that are not the
     * server's.
     */
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
   * One connection of one VU: opened by the first operation that needs it, opened anew by the next
   * one after it broke, and closed when the VU has no more use for it (the end of setup or
   * teardown, of the client's step under client-sweep, or of the test). Make it in the init
   * context, once per VU; use it in functions. VUs never share one: the protocol does one thing at
   * a time on a connection, and a client of a sweep is a connection.
   */
  export class Client {
    /**
     * Does not connect.
     *
     * @param url `machbase://user:password@host:port?option=value`, or `host:port`. Default
     *   `"machbase://sys@127.0.0.1:5656"`. Options: alternatives, connectTimeout, driver,
     *   fetchRows, queryTimeout, statementCache, timeout. What is not a plain letter or digit in
     *   user or password is written with encodeURIComponent. Several, in an array or with commas
     *   between them, are servers with the same data: they are tried in their order when the one
     *   before does not answer, all within connectTimeout. User, password and
     *   options may stand in any of them. Machbase's native protocol has no TLS.
     * @throws kind `usage`: an option is unknown or has a wrong value, the url is not one of this
     *   form, or the driver is not in this k6
     */
    constructor(url: string | readonly string[] | null | undefined, options?: ClientOptions);
    constructor(options?: ClientOptions);

    /** The driver that speaks to the server, such as `"native"`. */
    readonly driver: string;
    /** The mode of the statement cache, from the options or the URL. */
    readonly statementCache: 'off' | 'auto' | 'on';

    /**
     * Connects now, if that was not done yet. In a sweep, clients do it in their order, one after
     * another.
     *
     * @throws kind `connect` or `auth`; `usage` in the init context, as all other methods but close
     */
    connect(options?: { tags?: XK6Sweep.Tags }): void;
    /** {@link Client.connect} as a promise. */
    asyncConnect(options?: { tags?: XK6Sweep.Tags }): Promise<void>;

    /**
     * Runs a query and returns its rows; with `rows: 'discard'` their number.
     *
     * Parameters and options that are frozen, with all that is in them (`Object.freeze`; dates as
     * `bind('datetime', date)`), are read once and not at every call: a twentieth less processor
     * time for a small query.
     *
     * @param params of the question marks in the text
     * @throws kind `usage` when there are more or fewer parameters than question marks; any kind
     *   but `auth` and `connect` besides, and those too when it has to connect
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
     * Runs a statement that returns no rows, DDL included, and returns how many rows it changed (0
     * for DDL).
     *
     * @throws as query
     */
    exec(sql: string, params?: readonly Value[] | null, options?: ExecOptions): number;
    /** {@link Client.exec} as a promise. */
    asyncExec(sql: string, params?: readonly Value[] | null, options?: ExecOptions): Promise<number>;

    /**
     * Prepares a statement on this client's connection: executing it is one round trip.
     *
     * @throws kind `syntax`, `not_found` and others of the server
     */
    prepare(sql: string, options?: ExecOptions): Statement;
    /** {@link Client.prepare} as a promise. */
    asyncPrepare(sql: string, options?: ExecOptions): Promise<Statement>;

    /**
     * Opens an appender on a tag, log or volatile table. Other operations of the client, and other
     * appenders, may come in between.
     *
     * @throws kind `not_found` when there is no such table (code 2025) or column (code 0), `usage`
     *   when a column is there twice, an option is wrong, or the table is of another kind
     */
    appender(table: string, options?: AppenderOptions): Appender;
    /** {@link Client.appender} as a promise. */
    asyncAppender(table: string, options?: AppenderOptions): Promise<Appender>;

    /**
     * Helpers for the roll-up of this name, a plain identifier in upper or lower case. Does not ask
     * the server.
     *
     * @throws kind `usage` for anything else
     */
    rollup(name: string): Rollup;

    /**
     * Does one statement again and again, in Go: an operation costs no JavaScript. It returns when
     * all are done.
     *
     * In a step of client-sweep each is an operation of the step, under the name that the sweep's
     * `op` gives them, as if the step's function had done it; within `sweep.op` it cannot be
     * called. The call returns when the client's share is done or the step starts no more
     * operations. In a step of an open loop each operation is one of the schedule: the call waits
     * until the next one is due, and the first is the one that it was made for. In a duet at a rate
     * it does that one. With the driver native on Linux clients take turns at event loops, one a
     * processor: the one whose answer came first goes first, as in a program in C, and the step's
     * report has `clientWaitMs`, how long answers have waited for their client.
     *
     * An operation that fails is counted, there and in the result, and does not throw; only what
     * keeps the call from going on does: a call that is wrong (kind `usage`), and the end of the
     * test. Outside of a sweep, the log tells of the first call in which operations failed.
     *
     * @throws kind `usage` and `cancelled`
     */
    run(work: Work): WorkResult;

    /**
     * Closes the connection, when the operations before are done. The next operation opens a new
     * one. Does nothing without one. Open appenders are closed with it.
     *
     * @throws what closing them has failed with
     */
    close(): void;
  }

  /**
   * A prepared statement. It outlives its connection: on a new one it is prepared anew by its next
   * use.
   */
  export interface Statement {
    /** As {@link Client.query}, without the text. */
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

    /** As {@link Client.exec}, without the text. */
    exec(params?: readonly Value[] | null, options?: ExecOptions): number;
    /** {@link Statement.exec} as a promise. */
    asyncExec(params?: readonly Value[] | null, options?: ExecOptions): Promise<number>;

    /**
     * Frees the statement on the server, when the operations before are done. A later use prepares
     * it again.
     */
    close(): void;
  }

  /** Options of {@link Client.appender}. The first limit of a batch that is reached sends it. */
  export interface AppenderOptions {
    /**
     * The columns in the order in which rows bring their values, upper or lower case; what is left
     * out becomes null. Default: all of them in the table's order (of a log table without
     * `_arrival_time`, which is the time of arrival).
     */
    columns?: string[];
    /** Rows of a batch. Default: no limit. */
    batchRows?: number;
    /** Bytes of a batch, up to 65536, the largest packet. Default 65536. */
    batchBytes?: number;
    /**
     * The age of a batch's first row. It is looked at when rows are appended, and at no other time.
     * Default: no limit.
     */
    batchTime?: XK6Sweep.Duration;
    /** Tags of the samples of all its calls. */
    tags?: XK6Sweep.Tags;
  }

  /**
   * A column: an array of values, or a typed array of numbers, which goes to Go without a value of
   * its own for each. Whole numbers (BigInt64Array) in a datetime column are nanoseconds since
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

  /** What the server has said of all rows of an appender so far. */
  export interface Receipt {
    /**
     * Rows that it took: they are in the table. A tag table keeps them when the server is killed; a
     * log table loses those of the last moment (a quarter of a second with v8.0.74). A query may
     * see them a moment later only, or after `exec table_flush(TABLE)`.
     */
    accepted: number;
    /** Rows that it rejected. */
    rejected: number;
    /**
     * Why, the most frequent first, up to 16 different texts: 1345 is a null in a column that must
     * not have it, 3017 a row that is too long.
     */
    reasons: { code: number; message: string; rows: number }[];
    /** Rejected rows that have none of these reasons. */
    other: number;
  }

  /**
   * Writes many rows without an answer for each: they are buffered and sent in batches, and
   * `sync` and `close` tell what the server took. That it rejects rows throws nothing: look at
   * the receipt, or set a threshold on `machbase_rows_rejected`. An appender that is open when
   * the VU ends is closed then, too late for metrics and thresholds: where that fails, or the
   * server rejects rows, the log tells, and k6 exits with 110.
   *
   * A value that does not fit its column throws kind `append`, and a row with more or fewer values
   * than there are columns kind `usage`: the row is not appended, those before it in the call are,
   * and the appender can be used on. (With the drivers machgo and machcli, kind `append` ends it.)
   * An appender ends with its connection: after kind `connection` or `timeout`, from any operation
   * of the client, nobody knows which rows since the last receipt are in the table, and every
   * further call throws kind `connection`.
   */
  export interface Appender {
    /**
     * Appends rows.
     *
     * @throws kind `usage` also when a value cannot be bound: no row of the call is appended then
     */
    append(...rows: Value[][]): void;
    /** {@link Appender.append} as a promise. */
    asyncAppend(...rows: Value[][]): Promise<void>;

    /**
     * Appends rows that come as columns, in the order of the appender's columns and all of one
     * length, and returns how many.
     *
     * @throws kind `usage` also for a wrong number of columns, or one with another length: no row
     *   is appended then
     */
    appendColumns(columns: readonly ColumnValues[]): number;
    /** {@link Appender.appendColumns} as a promise. */
    asyncAppendColumns(columns: readonly ColumnValues[]): Promise<number>;

    /**
     * Appends rows that are made in Go, so that loading is not bound by JavaScript, and returns how
     * many. Equal options give equal rows, and ranges that touch each other give the rows of one
     * that covers both (but for `sequence`, which counts from its `from`). The client's timeout is
     * that of each batch of up to 1024 rows, not of the call.
     *
     * Rows of the stock benchmark:
     * - `stock_tick`: code, time, price, volume, bid_price, ask_price
     * - `stock_rollup_1s`, `stock_rollup_1m`: code, time, sum_price, sum_volume, sum_bid, sum_ask,
     *   cnt, for each full second or minute
     *
     * Rows of (name, time, value), for each tag one at `from` and at each `interval` after it:
     * - `uniform`: values drawn evenly from `min` to below `max`; each tag of each seed has a
     *   stream of its own
     * - `sine`: offset + amplitude * sin, a turn in each `period` since 1970; the tags are spread
     *   evenly over a turn
     * - `sequence`: offset, offset + 1, offset + 2 and so on, from `from` on
     *
     * @throws kind `usage`: an unknown name or option, or a range that makes no sense
     */
    generate(name: 'stock_tick' | 'stock_rollup_1s' | 'stock_rollup_1m', options: StockOptions): number;
    generate(name: 'uniform', options: UniformOptions): number;
    generate(name: 'sine', options: SineOptions): number;
    generate(name: 'sequence', options: SequenceOptions): number;
    /** {@link Appender.generate} as a promise. */
    asyncGenerate(name: 'stock_tick' | 'stock_rollup_1s' | 'stock_rollup_1m', options: StockOptions): Promise<number>;
    asyncGenerate(name: 'uniform', options: UniformOptions): Promise<number>;
    asyncGenerate(name: 'sine', options: SineOptions): Promise<number>;
    asyncGenerate(name: 'sequence', options: SequenceOptions): Promise<number>;

    /**
     * Sends what is buffered. Appended rows can be seen a moment later, or after
     * `exec table_flush(TABLE)`.
     */
    flush(): void;
    /** {@link Appender.flush} as a promise. */
    asyncFlush(): Promise<void>;

    /**
     * Sends what is buffered, waits until the server has taken or rejected all rows, and returns
     * the receipt: one round trip.
     */
    sync(): Receipt;
    /** {@link Appender.sync} as a promise. */
    asyncSync(): Promise<Receipt>;

    /** Does the same, and ends the appender. */
    close(): Receipt;
    /** {@link Appender.close} as a promise. */
    asyncClose(): Promise<Receipt>;
  }

  /** Options of {@link Appender.generate} for the stock benchmark. */
  export interface StockOptions {
    /** The first row's time, rounded down to 100 ms. */
    from: Date | string;
    /** The time before which the rows end. A text is a date and time as in RFC 3339. */
    to: Date | string;
    /** Selects the data set. A whole number, default 0. */
    seed?: number;
    /** Ticks per second over all codes, from 0.01 to 1,000,000. Default 1000. */
    tps?: number;
  }

  /**
   * What the generators of (name, time, value) have in common. One of `to` and `rows` must be
   * there.
   */
  export interface RangeOptions {
    /** The time of each tag's first row. A text is a date and time as in RFC 3339. */
    from: Date | string;
    /** The time before which the rows end. */
    to?: Date | string;
    /** How many rows there are in all, of all tags. */
    rows?: number;
    /** The number of tags, from 1 to 1,000,000. Default 1. */
    tags?: number;
    /** What names begin with; a number from 0 follows. Default `"tag-"`. */
    prefix?: string;
    /** The time between two rows of a tag. Default `"1s"`. */
    interval?: XK6Sweep.Duration;
  }

  export interface UniformOptions extends RangeOptions {
    /** Selects the data set. A whole number, default 0. */
    seed?: number;
    /** Default 0. */
    min?: number;
    /** Default 1. */
    max?: number;
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
   * A roll-up: a job of the server that sums the rows of one table up in another. Its operations
   * count as query and exec.
   */
  export interface Rollup {
    /**
     * Makes the server sum up now, and returns when it has. It does not return for a roll-up that
     * is stopped (`info().ENABLED` is 0): the timeout ends it, and the connection with it.
     *
     * @throws kind `not_found` with code 2654
     */
    force(options?: ExecOptions): void;
    /** {@link Rollup.force} as a promise. */
    asyncForce(options?: ExecOptions): Promise<void>;

    /**
     * The roll-up's row of `v$rollup`, with the columns' names in upper case, such as `ENABLED`,
     * `END_RID` and `LAST_ELAPSED_MSEC`. Of a table with several partitions it is the row of the
     * first.
     *
     * @throws kind `not_found` with code 0, as gap and wait
     */
    info(options?: ExecOptions): { [column: string]: any };
    /** {@link Rollup.info} as a promise. */
    asyncInfo(options?: ExecOptions): Promise<{ [column: string]: any }>;

    /**
     * How many rows of its source, in all partitions, it has not summed up yet. The source of a
     * roll-up over a roll-up is that other one, which may be behind itself.
     */
    gap(options?: ExecOptions): number;
    /** {@link Rollup.gap} as a promise. */
    asyncGap(options?: ExecOptions): Promise<number>;

    /**
     * Asks for the gap until there is none. It does not make the server sum up: see `force`.
     *
     * @param options.timeout how long at most; default: the client's timeout
     * @param options.interval how often; default: `"100ms"`
     * @throws kind `timeout` when it has not caught up by then: the connection stays, if the server
     *   answers within one more second
     */
    wait(options?: ExecOptions & { interval?: XK6Sweep.Duration }): void;
    /** {@link Rollup.wait} as a promise. */
    asyncWait(options?: ExecOptions & { interval?: XK6Sweep.Duration }): Promise<void>;
  }

  /**
   * Makes a parameter of a type that the script chooses.
   *
   * `short`, `integer` and `long` take whole numbers and BigInts, `float` and `double` any number,
   * `datetime` a Date, a number of milliseconds since 1970 or a BigInt of nanoseconds, `ipv4` and
   * `ipv6` a string, `binary` an ArrayBuffer or a string (as UTF-8). null and undefined are null of
   * any type.
   *
   * @throws kind `usage`: an unknown type, or a value that is none of the type or out of its range
   */
  export function bind(type: BindType, value: Value): TypedValue;

  const machbase: { Client: typeof Client; bind: typeof bind };
  export default machbase;
}
